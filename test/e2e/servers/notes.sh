# A small MCP server in plain JSON-RPC: it writes what it is asked to do into a file, so that tests can count what was
# done. In shell, because hundreds of ticks start it, and a shell is there at once. It reads what the SDK writes and is
# no parser of JSON: no quotes inside texts.
file=$1
object='"inputSchema":{"type":"object","properties"'
tools='{"name":"note","description":"Writes a line into the notebook.",'$object':{"text":{"type":"string"}},"required":["text"]}},'
tools=$tools'{"name":"echo","description":"Says the text again, as often as wanted.",'
tools=$tools$object':{"text":{"type":"string"},"times":{"type":"number"}},"required":["text"]}},'
tools=$tools'{"name":"fail","description":"Always fails.",'$object':{}}}'

text_of() {
  value=${line#*\""$1"\":\"}
  value=${value%%\"*}
}

content() {
  result='{"content":[{"type":"text","text":"'$1'"}]'$2'}'
}

# Whoever has "farewell" noted is killed before the answer.
note() {
  printf '%s\n' "$value" >>"$file"
  if [ "$value" = farewell ]; then kill -KILL "$PPID"; fi
  content noted
}

repeated() {
  case $line in *'"times":'*) times=${line#*'"times":'} ;; *) times=1 ;; esac
  times=${times%%[!0-9]*}
  out= unit=$value
  while [ "$times" -gt 0 ]; do
    if [ $((times % 2)) = 1 ]; then out=$out$unit; fi
    unit=$unit$unit times=$((times / 2))
  done
  content "$out"
}

call() {
  text_of name
  name=$value
  text_of text
  case $name in
  note) note ;;
  echo) repeated ;;
  *) content 'it cannot be done' ',"isError":true' ;;
  esac
}

while IFS= read -r line; do
  case $line in *'"id":'*) ;; *) continue ;; esac
  id=${line##*'"id":'}
  id=${id%%[,\}]*}
  case $line in
  *'"method":"initialize"'*)
    text_of protocolVersion
    result='{"protocolVersion":"'$value'","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1.0.0"}}'
    ;;
  *'"method":"tools/list"'*) result='{"tools":['$tools']}' ;;
  *'"method":"tools/call"'*) call ;;
  *) result='{}' ;;
  esac
  printf '%s\n' '{"jsonrpc":"2.0","id":'"$id"',"result":'"$result"'}'
done
