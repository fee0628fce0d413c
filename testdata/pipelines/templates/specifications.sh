# Stands where an agent would read the specification: prints it as JSON.
printf '{"features":['
sed -n 's/^- \(.*\)/"\1"/p' "$1" | paste -sd, - | tr -d '\n'
printf '],"summary":"%s"}\n' "$(head -n 1 "$1")"
