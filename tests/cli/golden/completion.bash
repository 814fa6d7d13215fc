# bash completion for attune; load with: source <(attune --completion bash)
_attune()
{
    local line word=${COMP_WORDS[COMP_CWORD]}
    COMPREPLY=()
    while IFS= read -r line; do
        if [ "$line" = :files ]; then
            compopt -o filenames 2>/dev/null
            while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$word")
        else
            COMPREPLY+=("${line%%$'\t'*}")
        fi
    done < <("${1:-attune}" --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _attune attune
