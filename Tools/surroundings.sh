# Functions that run a command in another environment, for Tools/hardships and Tools/elsewhere.
#
# A script that sources this file must set `logs`, a directory with a subdirectory `tmp`, and `gcdlab`. If this machine cannot provide an
# environment, its function ends with 77 and prints the reason on standard error. File systems are mounted in a namespace of the command only.
# shellcheck shell=bash

impossible() {
  echo "not possible here: $1" >&2
  exit 77
}

# MARK: Processes beside the command

helpers=()
# busy N: starts N busy loops, which run until `relieve`.
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

# in_group CONTROLLER "FILE VALUE"... -- COMMAND: runs COMMAND in a new control group. Sets the first FILE that exists to its VALUE; the files differ
# between versions of control groups.
in_group() (
  group=/sys/fs/cgroup/$1/gcdlab-$$
  [ -d "/sys/fs/cgroup/$1" ] || group=/sys/fs/cgroup/gcdlab-$1-$$
  mkdir "$group" 2>/dev/null || impossible "this process cannot create a control group"
  # Processes that the command started may leave the group a moment later.
  trap 'rmdir "$group" 2>/dev/null || { sleep 1; rmdir "$group"; }' EXIT
  set=
  shift
  while [ "$1" != -- ]; do
    if [ -z "$set" ] && [ -w "$group/${1%% *}" ]; then { echo "${1#* }" >"$group/${1%% *}"; } 2>/dev/null && set=yes; fi
    shift
  done
  [ -n "$set" ] || impossible "this process cannot set the limit of a control group"
  (echo $BASHPID >"$group/cgroup.procs" && exec "${@:2}")
)
# with_quota PERCENT COMMAND: with PERCENT of a core.
with_quota() { in_group cpu "cpu.cfs_quota_us $(($1 * 1000))" "cpu.max $(($1 * 1000)) 100000" -- "${@:2}"; }
# with_pids N COMMAND: with at most N processes and threads.
with_pids() { in_group pids "pids.max $1" -- "${@:2}"; }

# MARK: Users

nobody=65534
as_nobody() (
  setpriv --reuid "$nobody" --regid "$nobody" --clear-groups true 2>/dev/null || impossible "only root becomes another user"
  exec setpriv --reuid "$nobody" --regid "$nobody" --clear-groups "$@"
)
# with_threads N gcdlab ARGUMENTS: runs a copy of the lab as a user who has no other processes and may have N threads.
with_threads() (
  setpriv --reuid "$nobody" --clear-groups true 2>/dev/null || impossible "only root becomes another user"
  ! pgrep -u "$nobody" >/dev/null || impossible "the user $nobody has other processes, which count towards the limit"
  chmod 755 "$logs" && chmod 777 "$logs/tmp" && cp -u "$gcdlab" "$logs/gcdlab"
  ulimit -u "$1" && cd / && exec setpriv --reuid "$nobody" --clear-groups "$logs/gcdlab" "${@:3}"
)

# MARK: Files

# mounted OPTIONS COMMAND: with a TMPDIR on a file system in memory, mounted with OPTIONS.
mounted() (
  unshare -m true 2>/dev/null || impossible "nothing can be mounted"
  exec unshare -m bash -c 'mount -t tmpfs -o "$1" none /mnt && TMPDIR=/mnt exec "${@:2}"' - "$@"
)
readonly_tmp() { mounted ro "$@"; }
full_tmp() { mounted size=64k "$@"; }
# replaced COMMAND: replaces the file of the command by another program while the command runs, as a new build does. The function `moment` waits
# for the time of the replacement; by default, for the command's first worker.
replaced() (
  new=$logs/new
  mkdir -p "$new" && cp "$(command -v "$1")" "$new/${1##*/}"
  "$new/${1##*/}" "${@:2}" &
  lab=$!
  ${moment:-begins} && cp "$(command -v false)" "$logs/next" && mv "$logs/next" "$new/${1##*/}"
  wait "$lab"
)
begins() { until [ -n "$(cat "/proc/$lab/task/"*/children 2>/dev/null)" ] || ! kill -0 "$lab" 2>/dev/null; do :; done; }

# MARK: Checks

# workers_of BINARY...: prints a pattern for pgrep that matches the workers of these binaries. A lab starts its workers with its resolved path.
workers_of() {
  local binary all=
  for binary in "$@"; do all="$all|$(readlink -f "$binary")"; done
  echo "^(${all#|}) worker"
}
# amiss STATUS ALLOWED OUTPUT WORKERS: prints what is wrong with a run of smoke: a status that is not among ALLOWED, a failed verdict, a worker that
# is left, or a file that is left in $logs/tmp. Prints nothing if nothing is wrong.
amiss() {
  [[ " $2 " = *" $1 "* ]] || echo "exit status $1, not ${2// / or }"
  ! grep -qE '✗ +(violated|broken|not-witnessed)' "$3" || echo "false verdict"
  ! pgrep -f "$4" >/dev/null || echo "left a worker"
  [ -z "$(ls -A "$logs/tmp")" ] || echo "left $(ls -A "$logs/tmp")"
}
