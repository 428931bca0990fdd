#!/bin/bash
# Prints its arguments as Python prints a list of strings.
LC_ALL=C
out=
for arg; do
  quote=\'
  [[ $arg == *\'* && $arg != *\"* ]] && quote=\"
  text=
  for ((i = 0; i < ${#arg}; i++)); do
    c=${arg:i:1}
    case $c in
    \\) c='\\' ;;
    $'\n') c='\n' ;;
    $'\t') c='\t' ;;
    $'\r') c='\r' ;;
    "$quote") c=\\$c ;;
    [[:print:]]) ;;
    *) printf -v c '\\x%02x' "'$c" ;;
    esac
    text+=$c
  done
  out+="${out:+, }$quote$text$quote"
done
printf '%s\n' "[$out]"
