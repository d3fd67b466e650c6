# What the guides use. Read it into your shell, bash or zsh: . docs/guides/setup.sh
export CP="${CP:-http://127.0.0.1:3000}"
if [ -z "${TOKEN:-}" ]; then
  echo "First: export TOKEN='<admin token>', with the token that the first start printed" >&2
fi

# send METHOD PATH [BODY]: prints the reply, and fails where the service refuses.
send() {
  if [ $# -gt 2 ]; then
    curl -sS --fail-with-body -X "$1" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d "$3" "$CP$2"
  else
    curl -sS --fail-with-body -X "$1" -H "Authorization: Bearer $TOKEN" "$CP$2"
  fi
  set -- $?
  echo
  return "$1"
}

# ready ACTION: waits until a checkpoint or a restore is ready, and fails with the reason if it has failed.
ready() {
  local reply
  while reply=$(send GET "/v1/checkpoint/status/$1"); do
    case $(printf '%s\n' "$reply" | jq -r .status) in
      ready) return 0 ;;
      error) break ;;
    esac
    sleep 0.2
  done
  printf '%s\n' "$reply" | jq -r '.details // .detail' >&2
  return 1
}
