#!/bin/bash
echo 'single "with" double' "double 'with' single" 'it'\''s'
echo "nested $(echo "inner $(echo "deep \"quote\"")")"
echo "`date` \`not run\` \$HOME"
echo a\ b \{ \( "# not a comment" a#b ${#PATH}
echo "brace ${HOME:+"yes}"}" # comment with ' and "
echo $"localized" $'it\'s'
