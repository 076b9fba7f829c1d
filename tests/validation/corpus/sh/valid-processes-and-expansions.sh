#!/bin/bash
coproc BC { bc -l; }
echo "scale=3; 10/3" >&"${BC[1]}"
read -r -u "${BC[0]}" answer
exec 3>&1 4>>log.txt {fd}<input.txt
{ time sleep 1; } 2>&1 | tee >(gzip > out.gz) | while IFS= read -r line || [[ -n $line ]]; do
  printf -v out '%q' "$line"
  case "$out" in
    (a*|b*) echo ab ;;
    "x y") : ;;
    !(*.txt|*.md)) continue ;;
    [[:digit:]]*) echo digit; ;;
    *) ;;
  esac
done
until (( i++ >= 5 )); do :; done
select choice in one two; do break; done
x=$(( (1 + 2) * 3 << 2 | (i > 2 ? 1 : 0) ))
y=${x//[^0-9]/} z=${y:0:2} w=${z/%.txt/.md} v=${!x} u=${w@Q} t=${arr[@]:1:2}
((x += 1, y *= 2)) || true
if ! grep -q 'it'"'"'s' file && [ "$x" -lt 5 -o ! -f "$y" ]; then echo yes; elif false; then :; else echo no; fi
func () ( cd /tmp && ls )
cat <<'A' <<B
literal $x
A
expanded $x $(date) `hostname` ${x:-"default"}
B
tr a-z A-Z <<< "here $x"
[[ $x -eq 1 || ( $y == a* && -n ${z} ) ]] && echo $'tab\t\'q\'' $"loc"
arr=(a "b c" $'d\n' [5]=e) ; arr[1]=x; echo "${arr[@]@Q}" "${#arr[*]}"
echo {a,b}{1..3} ~/x ?(a) \
  continued
for x; do echo "$x"; done
for ((;;)) { break; }
