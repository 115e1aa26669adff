import ArgumentParser
import Laboratory
import Reporting

/// The completion scripts of the argument parser, with two additions: values after `=`, and the name of a scenario in
/// place of a command.
///
/// In this command line, a parameter's name, `=` and the value are one word. Bash, however, treats `=` as the end of a
/// word, escapes `=` as in the name of a file, and appends a space to a complete word. zsh escapes `=` as well.
enum CompletionScript {
  /// Returns the completion script for `bash`, `zsh` or `fish`.
  static func text(_ shell: CompletionShell) -> String {
    let script = Root.completionScript(for: shell)
    let name = Tool.command
    let function = "_" + name.replacing("-", with: "_")
    let scenarios = Lab.library.names
    switch shell {
    case .bash:
      return script.replacing("complete -o filenames -F \(function) \(name)", with: bash(function, name, scenarios))
    case .zsh:
      // An option's value may follow `=` instead of a space.
      let options = script.replacing(/(--[a-z-]+)\[([^\]\n]*)\]:/) { "\($0.1)=[\($0.2)]:" }
      let named = options.replacing(
        "        _describe -V subcommand subcommands && ret=0\n",
        with: """
                  _describe -V subcommand subcommands && ret=0
                  local -ar scenarios=(\(scenarios.map { "'\($0)'" }.joined(separator: " ")))
                  [[ -n ${PREFIX} ]] && _describe -V scenario scenarios && ret=0

          """)
      return named.replacing(
        "_describe -V '' non_empty_completions -- empty_completions -P $'\\'\\''",
        with: """
          # The user types a parameter's value directly after `=`.
              compadd -Q -S '' -- ${(M)non_empty_completions:#*=}
              local -ar whole=("${non_empty_completions[@]:#*=}")
              _describe -V '' whole -- empty_completions -P $'\\'\\''
          """)
    case .fish:
      let position = "__\(name.replacing("-", with: "_"))_should_offer_completions_for_positional \"\(name)\" -eq 1"
      return script + scenarios.map { "\ncomplete -c '\(name)' -n '\(position)' -fa '\($0)' -d 'scenario'" }.joined()
    default: return script
    }
  }

  private static func bash(_ function: String, _ name: String, _ scenarios: [String]) -> String {
    """
    # The words of the command line: `--set stride=1` is two words, and `--variant=apply` is `--variant apply`.
    _\(function)_words() {
        local -a words=()
        local -i at=0 index
        local last='' word
        for ((index = 0; index <= COMP_CWORD; index++)); do
            word=${COMP_WORDS[index]}
            if [[ ${word} == '=' && ${last} == --* ]]; then
                words+=('')
            elif [[ ${word} == '=' || ${last} == '=' ]] && ((${#words[@]})); then
                words[${#words[@]} - 1]+=${word}
            else
                words+=("${word}")
            fi
            last=${word}
        done
        at=$((${#words[@]} - 1))
        # A scenario's name in place of a command runs the scenario.
        if ((at > 1)); then
            case ${words[1]} in
            \((scenarios + ["*.yml"]).joined(separator: "|")))
                words=("${words[0]}" scenario "${words[@]:1}")
                at+=1
                ;;
            esac
        fi
        local -r cur=${words[at]}
        COMP_WORDS=("${words[@]}")
        COMP_CWORD=${at}
        COMP_LINE="${words[*]}"
        COMP_POINT=${#COMP_LINE}
        \(function) "${1}" "${cur}" "${words[at > 0 ? at - 1 : 0]}"
        if ((at == 1)) && [[ -n ${cur} ]]; then
            COMPREPLY+=($(compgen -W '\(scenarios.joined(separator: " "))' -- "${cur}"))
        fi
        # The command line already contains the text before the last `=`.
        [[ ${cur} == *=* ]] && COMPREPLY=("${COMPREPLY[@]#"${cur%="${cur##*=}"}="}")
        if ((${#COMPREPLY[@]} == 1)); then
            if [[ ${COMPREPLY[0]} == *= ]]; then
                compopt -o nospace
            elif [[ -d ${COMPREPLY[0]} ]]; then
                compopt -o filenames
            fi
        fi
    }

    complete -F _\(function)_words \(name)
    """
  }
}
