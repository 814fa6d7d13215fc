#compdef attune
# zsh completion for attune; load with: source <(attune --completion zsh)
_attune()
{
    local line tab=$'\t' files=0
    local -a lines candidates
    lines=("${(@f)$("${words[1]}" --complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    for line in "${lines[@]}"; do
        case $line in
            '') ;;
            :files) files=1 ;;
            *) candidates+=("${${line%%$tab*}//:/\\:}:${line#*$tab}") ;;
        esac
    done
    (( ${#candidates} )) && _describe attune candidates
    (( files )) && _files
}
if [ "$funcstack[1]" = _attune ]; then
    _attune "$@"
else
    compdef _attune attune
fi
