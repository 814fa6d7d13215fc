# fish completion for attune; load with: attune --completion fish | source
function __attune_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] --complete $words[2..-1] "$current" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$current"
        else
            printf '%s\n' $line
        end
    end
end
complete -c attune -f -a '(__attune_complete)'
