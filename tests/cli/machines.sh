#!/usr/bin/env bash
# Ranks on two machines, a and b, which this one plays: each has a network, a host name, processes,
# /dev/shm and a folder of its own, so that TCP alone leads from one to the other, and a folder that
# both see. The bits are those of one process; a machine that is lost ends all.
#
# The script begins again as machine a. What it makes lives in namespaces of its own, which end with
# it, whatever ends that.
exec </dev/null
apart=(--net --uts --ipc --mount --pid --fork --mount-proc --kill-child)
((EUID == 0)) || apart+=(--user --map-root-user)
# A bridge, a wire, a disk in memory, a file over one of /proc.
try='ip link add bridge type bridge && ip link add wire type veth peer name eth0 &&
    mount -t tmpfs tmpfs /mnt && touch /mnt/id && unshare --net --pid --mount --fork true &&
    mount --bind /mnt/id /proc/sys/kernel/random/boot_id'
if [[ ! ${GIBBSITE_MACHINE-} ]] && command -v ip unshare nsenter >/dev/null &&
    unshare "${apart[@]}" bash -c "$try" >/dev/null 2>&1; then
    GIBBSITE_MACHINE=a exec unshare "${apart[@]}" bash "$0"
fi
. "$(dirname "$0")/../lib.sh"
# shellcheck disable=SC2016  # what the ranks expand
need_program mpirun ip unshare nsenter || exit 0
need_plain_build 'ranks on several machines' || exit 0
if [[ ! -e $(dirname "$(readlink -f "$GIBBSITE")")/libgibbsite-mpi.so.1 ]]; then
    skip 'ranks on several machines' 'built without MPI'
    exit 0
fi
if [[ ! ${GIBBSITE_MACHINE-} ]]; then
    skip 'ranks on several machines' 'no namespaces of networks, processes and mounts here'
    exit 0
fi

# ---------------------------------------------------------------- two machines

# The folder that both see is here, wherever that is: /dev/shm, which tests like, is hidden.
leave_machine() {
    local rc=$?
    cd /
    umount -l "$tmp/own" "$tmp" /dev/shm /mnt 2>/dev/null
    (exit $rc)
    tap_end
}
trap leave_machine EXIT
mkdir own both
printf '127.0.0.1 localhost\n10.0.0.1 a\n10.0.0.2 b\n' >hosts
cat >begin.sh <<END
set -e
hostname \$1
ip link set lo up
mount --bind "$tmp" /mnt
mount -t tmpfs tmpfs /dev/shm
mkdir -p "$tmp"
mount --bind /mnt "$tmp"
cd "$tmp"
mount -t tmpfs tmpfs own
mkdir own/tmp own/cache
mount --bind hosts /etc/hosts
touch \$1.is_there
END
cat >enter.sh <<END
#!/bin/sh
exec nsenter --target \$(cat "$tmp/init") --net --uts --ipc --mount --pid "\$@"
END
# In the place of ssh: HOST COMMAND...
cat >agent.sh <<END
#!/bin/sh
shift
exec "$tmp/enter.sh" env -u GIBBSITE_MPI_WORTH TMPDIR="$tmp/own/tmp" sh -c "cd / && \$*"
END
chmod +x enter.sh agent.sh
b() { ./enter.sh sh -c 'cd "$0" && exec "$@"' "$tmp" "$@"; } # COMMAND..., on machine b

mount --make-rprivate /
sh begin.sh a && cd "$tmp" || exit 1
unshare --net --uts --ipc --mount --pid --fork --mount-proc bash -c \
    'sh begin.sh b && while :; do sleep 99; done' 2>/dev/null &
outer=$!
until [[ -e b.is_there ]]; do
    kill -0 $outer 2>/dev/null || exit 1
    sleep 0.02
done
ps -o pid= --ppid $outer | tr -d ' ' >init
ip link add bridge type bridge
ip addr add 10.0.0.1/24 dev bridge
ip link set bridge up
ip link add wire type veth peer name eth0 netns "$(cat init)"
ip link set wire master bridge up
b ip addr add 10.0.0.2/24 dev eth0
b ip link set eth0 up
export TMPDIR=$tmp/own/tmp

unset "${!OMPI_@}" "${!PMIX_@}"
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1
export GIBBSITE_MPI_WORTH=1 # rank 0's, on machine a
ranks=(timeout -s KILL 120 mpirun --allow-run-as-root -q --mca plm_rsh_agent "$tmp/agent.sh"
    --map-by node)
patient=$GIBBSITE_BUILD/tests/patient.so # ranks that wait leave the processor to the others
[[ ! -e $patient ]] || ranks+=(-x "LD_PRELOAD=$patient")
printf 'a slots=2\nb slots=2\n' >two
ranks+=(--hostfile two --oversubscribe)


"${ranks[@]}" -np 4 sh -c 'echo $(hostname) $(ls own) >own/tmp/$OMPI_COMM_WORLD_RANK'
seen=$(cat own/tmp/[0-3] && b sh -c 'cat own/tmp/[0-3]')
as 'two ranks on each of two machines, which see one folder alone'
check "$seen" test "${seen//$'\n'/,}" = 'a cache tmp,a cache tmp,b cache tmp,b cache tmp'

# ---------------------------------------------------------------- the bits of one process
timeless() { sed -E 's/"(seconds|read|fit|total|approximate|move|sample)": ?[-+0-9.e]+//g' "$1"; }
# same P COMMAND...: the file and the output of one process, which is asked once for each command.
# OUT in the arguments names the file. bytes: what rank 0 gave.
asked=''
same() {
    local size=$1 rc
    shift
    if [[ $asked != "${*/%both|own\/cache/}" ]]; then
        "$GIBBSITE" "${@//OUT/one}" --threads 1 >one.txt 2>/dev/null
        alone=$? asked="${*/%both|own\/cache/}"
    fi
    GIBBSITE_MPI=traffic "${ranks[@]}" -np "$size" "$GIBBSITE" "${@//OUT/many}" --threads 1 \
        >many.txt 2>"$stderr"
    rc=$?
    bytes=$(sed -n 's/^ranks: .* exchanges, \([0-9]*\) bytes.*/\1/p' "$stderr")
    if ((rc == alone && alone == 0)) && cmp -s <(timeless one.txt) <(timeless many.txt) &&
        cmp -s <(timeless one) <(timeless many); then
        ok "$size ranks on two machines: $*"
    else
        not_ok "$size ranks on two machines: $*" "exit $rc" "$(head -n 20 "$stderr")" \
            "$(diff <(timeless one.txt) <(timeless many.txt) | head -n 5)"
    fi
    rm -f many
}
"$GIBBSITE" simulate classify --rows 2000 --cols 16 -q -o rows.csv
"$GIBBSITE" simulate classify --rows 3300 --cols 50 -q -o wide.csv
"$GIBBSITE" simulate ratings --rows 1200 --cols 200 --density 0.25 -q -o many.csv
same 4 fit rows.csv --loss hinge --prior zero -o OUT --json
same 2 fit rows.csv --task rank --loss hinge --prior zero -o OUT --json
same 4 complete many.csv --rank 2 --tol 0.01 --positions off -o OUT --json
same 2 complete many.csv --rank 2 --tol 0.01 --positions off -o OUT --json --cache own/cache
same 2 fit wide.csv --task rank --loss hinge --prior zero -o OUT --json --no-cache --cache own/cache

# The cells that b lacks travel where the folder is another, or another machine's: a quarter of
# 3,300 x 51 numbers from rank 0 of 4. Machines are told apart by the name that the kernel has since
# its start; with one name for both, files of one folder are shared, as in a file system for many.
for way in 'one file, as of a parallel file system' 'a file each in one folder, as of NFS' \
    'a folder each of the same name'; do
    folder=both
    case $way in
    *NFS)
        echo bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb >id
        b mount --bind id /proc/sys/kernel/random/boot_id
        ;;
    *name) folder=own/cache ;;
    esac
    same 4 fit wide.csv --loss hinge --prior zero -o OUT --json --no-cache --cache $folder
    if [[ $folder$way == bothone* ]]; then
        shared=$bytes
    else
        expect_near "what travels: $way" $((bytes - shared)) $((3300 * 51 * 8 / 4)) 0.02
    fi
done
check 'nothing stays in the folders' test -z "$(ls -A both; ls -A own/cache; b ls -A own/cache)"

# ---------------------------------------------------------------- what goes wrong
# by_rank SCRIPT COMMAND: each of two ranks runs the command after the script, which may set $mine.
by_rank() {
    cat >rank.sh <<END
r=\$OMPI_COMM_WORLD_RANK
$1
echo \$\$ >pid.\$r
exec "$GIBBSITE" $2 --threads 1
END
    "${ranks[@]}" -np 2 sh rank.sh >"$stdout" 2>"$tmp/.words"
    rc=$?
    # mpirun's word on its own starter, where that was quicker than it
    grep -v 'plm:rsh: Warning: setpgid' "$tmp/.words" >"$stderr"
}
# ended NAME MESSAGE: with exit code 5, this message alone, and nothing written.
ended() {
    sed -i "/^\[.*mca_btl_tcp/d" "$stderr" # what sockets of Open MPI add to a message on its way
    if ((rc == 5)) && [[ $(wc -l <"$stderr") == 1 && ! -e none.json ]] && grep -qE "$2" "$stderr"
    then
        ok "$1"
    else
        not_ok "$1" "exit $rc" "$(cat "$stderr")" "$(ls -A)"
    fi
}
cp wide.csv own/here.csv
by_rank '' 'fit own/here.csv -o none.json'
ended 'a file that is on one machine alone' \
    '^gibbsite: rank 1 failed: own/here.csv: No such file or directory$'

# begin_long: a fit that goes on for long; returns when rank 1, on b, is at it. worker: its number.
"$GIBBSITE" simulate rank --rows 6000 --cols 40 -q -o long.csv
begin_long() {
    local i
    rm -f pid.1 rc
    (
        by_rank '' \
            'fit long.csv --task rank --loss zero-one --tol 1e-14 --max-iter 100000 -o none.json'
        echo "$rc" >rc
    ) &
    for ((i = 0; i < 600; i++)); do
        [[ -s pid.1 ]] && worker=$(b ps -o pid= --ppid "$(cat pid.1)") && worker=${worker// /} &&
            (($(b awk '{ print $14 }' "/proc/$worker/stat" 2>/dev/null || echo 0) > 40)) && break
        sleep 0.1
    done
}
left() { ps -eo comm=,stat= | grep -E '^(gibbsite|orted|mpirun) +[^Z]'; }
begin_long
b kill -KILL "$worker"
wait $!
rc=$(cat rc)
ended 'a rank that is killed on b ends all' \
    '^gibbsite: rank 1 was lost: killed by signal 9 .*; a file that was to be written is whole'
refuse 'nothing goes on' left

# All processes of b at once, as when its power fails: mpirun sees it, and the code is its own.
begin_long
kill -KILL "$(cat init)"
wait $!
rc=$(cat rc)
as "a machine that is lost ends all: exit $rc"
check "$(cat "$stderr")" test "$rc" -gt 0 -a "$rc" -ne 137 -a ! -e none.json
for ((i = 0; i < 100; i++)); do left >/dev/null && sleep 0.1; done
refuse 'nothing goes on' left
