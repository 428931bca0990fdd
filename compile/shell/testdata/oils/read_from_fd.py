#!/bin/bash
for fd; do
  read -r -d '' -n 1024 text <&"$fd"
  printf '%s: %s' "$fd" "$text"
done
