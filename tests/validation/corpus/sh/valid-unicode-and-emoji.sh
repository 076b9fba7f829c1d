#!/bin/bash
# комментарий with ( and {
greeting="Grüße, 世界 🎉"
echo "$greeting" | sed 's/🎉/!/'
printf '%s\n' "${greeting%% *}"
