#!/bin/bash
# Prints variables of its environment.
for name; do
  if [[ -v $name ]]; then printf '%s\n' "${!name}"; else echo None; fi
done
