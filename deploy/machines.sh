#!/usr/bin/env bash
# What checks have in common: "machines" on this one, each a network namespace with a host name of its own. It is sourced, and $work is a folder.

# Runs something on a machine.
on() {
    local host=$1
    shift
    # shellcheck disable=SC2016
    exec ip netns exec "$host" unshare --uts --mount sh -c 'hostname "$1"; shift; exec "$@"' sh "$host" "$@"
}

# Two machines with a pair of virtual interfaces.
machines() {
    ip netns add gpuvm-a && ip netns add gpuvm-b || return
    touch "${work:?}/namespaces"
    ip link add gpuvm0 netns gpuvm-a type veth peer name gpuvm0 netns gpuvm-b || return
    local number=1 host
    for host in gpuvm-a gpuvm-b; do
        ip -n "$host" address add "10.77.0.$number/24" dev gpuvm0 || return
        ip -n "$host" link set lo up && ip -n "$host" link set gpuvm0 up || return
        number=$((number + 1))
        # `ip netns exec` lays it over /etc/hosts.
        mkdir -p "/etc/netns/$host"
        hosts >"/etc/netns/$host/hosts"
    done
}

hosts() { printf '127.0.0.1 localhost\n10.77.0.1 gpuvm-a\n10.77.0.2 gpuvm-b\n'; }

# Undoes that.
no_machines() {
    [[ -e ${work:?}/namespaces ]] || return 0
    ip netns del gpuvm-a
    ip netns del gpuvm-b
    rm -rf /etc/netns/gpuvm-a /etc/netns/gpuvm-b
    rmdir /etc/netns 2>/dev/null
}

# Bytes that have left the first machine.
sent() { ip -n gpuvm-a -s -j link show gpuvm0 | python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["stats64"]["tx"]["bytes"])'; }

# Whether four ranks have found what one process finds, by what they have said to a file.
agree() {
    local rank
    for rank in 0 1 2 3; do
        grep -qx "rank $rank of 4: $2" "$1" || return 1
    done
}
