#!/bin/sh
# What `mpirun` calls in place of ssh in `check.sh`: runs a command on a "machine" that is a network namespace, `gpuvm-a` or `gpuvm-b`.
# Both name their options first, then the machine, then the command: `agent.sh [-x] HOST COMMAND…`.
while [ "${1#-}" != "$1" ]; do
    shift
done
host=$1
shift
# As a machine of its own the namespace has its own name as well, by which MPI tells machines apart.
# shellcheck disable=SC2016
exec ip netns exec "$host" unshare --uts sh -c 'hostname "$1"; shift; exec sh -c "$*"' sh "$host" "$@"
