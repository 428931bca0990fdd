#!/bin/bash
printf '%s\n' "${1-STDOUT}"
printf '%s\n' "${2-STDERR}" >&2
exit "${3-0}"
