# Surroundings that a command can be run in, for Tools/hardships and Tools/elsewhere, which source this file.
#
# Who sources it sets `logs`, a directory of its own with a `tmp`, and `gcdlab`. A command in a surrounding that cannot be made here ends
# with 77 and says why on standard error. Whatever is mounted is mounted in a namespace of the command alone.
# shellcheck shell=bash

impossible() {
  echo "not possible here: $1" >&2
  exit 77
}

# MARK: Processes beside the command

helpers=()
# busy N: so many loops, until they are relieved.
busy() {
  local loop
  for ((loop = 0; loop < $1; loop++)); do
    bash -c 'while :; do :; done' &
    helpers+=($!)
  done
}
relieve() {
  local helper
  for helper in "${helpers[@]}"; do
    kill "$helper" 2>/dev/null || true
    wait "$helper" 2>/dev/null || true
  done
  helpers=()
}
beside() (
  trap relieve EXIT
  busy "$1"
  "${@:2}"
)

# MARK: Control groups, of both versions

# in_group CONTROLLER "FILE VALUE"... -- COMMAND: in a group of its own, with the first of the files that there is set to its value.
in_group() (
  group=/sys/fs/cgroup/$1/gcdlab-$$
  [ -d "/sys/fs/cgroup/$1" ] || group=/sys/fs/cgroup/gcdlab-$1-$$
  mkdir "$group" 2>/dev/null || impossible "no control group can be made"
  # What the command has started may take a moment to leave it.
  trap 'rmdir "$group" 2>/dev/null || { sleep 1; rmdir "$group"; }' EXIT
  set=
  shift
  while [ "$1" != -- ]; do
    if [ -z "$set" ] && [ -w "$group/${1%% *}" ]; then { echo "${1#* }" >"$group/${1%% *}"; } 2>/dev/null && set=yes; fi
    shift
  done
  [ -n "$set" ] || impossible "no control group has a limit of its own"
  (echo $BASHPID >"$group/cgroup.procs" && exec "${@:2}")
)
# With so many percent of a core.
with_quota() { in_group cpu "cpu.cfs_quota_us $(($1 * 1000))" "cpu.max $(($1 * 1000)) 100000" -- "${@:2}"; }
# With so many processes and threads.
with_pids() { in_group pids "pids.max $1" -- "${@:2}"; }

# MARK: Users

nobody=65534
as_nobody() (
  setpriv --reuid "$nobody" --regid "$nobody" --clear-groups true 2>/dev/null || impossible "only root becomes another user"
  exec setpriv --reuid "$nobody" --regid "$nobody" --clear-groups "$@"
)
# with_threads N gcdlab ARGUMENTS: the lab as a user who may have so many threads and has no others, from a place that he may read.
with_threads() (
  setpriv --reuid "$nobody" --clear-groups true 2>/dev/null || impossible "only root becomes another user"
  ! pgrep -u "$nobody" >/dev/null || impossible "the user $nobody has processes, which count"
  chmod 755 "$logs" && chmod 777 "$logs/tmp" && cp -u "$gcdlab" "$logs/gcdlab"
  ulimit -u "$1" && cd / && exec setpriv --reuid "$nobody" --clear-groups "$logs/gcdlab" "${@:3}"
)

# MARK: Files

# mounted OPTIONS COMMAND: with TMPDIR on a file system in memory.
mounted() (
  unshare -m true 2>/dev/null || impossible "nothing can be mounted"
  exec unshare -m bash -c 'mount -t tmpfs -o "$1" none /mnt && TMPDIR=/mnt exec "${@:2}"' - "$@"
)
readonly_tmp() { mounted ro "$@"; }
full_tmp() { mounted size=64k "$@"; }
# replaced COMMAND: while another program comes to have the command's name, as when it is built anew. It does so after `moment`, which is
# when the command has a worker.
replaced() (
  new=$logs/new
  mkdir -p "$new" && cp "$(command -v "$1")" "$new/${1##*/}"
  "$new/${1##*/}" "${@:2}" &
  lab=$!
  ${moment:-begins} && cp "$(command -v false)" "$logs/next" && mv "$logs/next" "$new/${1##*/}"
  wait "$lab"
)
begins() { until [ -n "$(cat "/proc/$lab/task/"*/children 2>/dev/null)" ] || ! kill -0 "$lab" 2>/dev/null; do :; done; }

# MARK: What must not come of it

# Workers of these binaries, by the path that their parent gives them, links followed.
workers_of() {
  local binary all=
  for binary in "$@"; do all="$all|$(readlink -f "$binary")"; done
  echo "^(${all#|}) worker"
}
# amiss STATUS ALLOWED OUTPUT WORKERS: what is wrong with a smoke run that ended with this status, whatever it was short of: another
# status than those allowed, a verdict that failed, a worker or a file in $logs/tmp that is left. Nothing where all is well.
amiss() {
  [[ " $2 " = *" $1 "* ]] || echo "exit status $1, not ${2// / or }"
  ! grep -qE '✗ +(violated|broken|not-witnessed)' "$3" || echo "false verdict"
  ! pgrep -f "$4" >/dev/null || echo "left a worker"
  [ -z "$(ls -A "$logs/tmp")" ] || echo "left $(ls -A "$logs/tmp")"
}
