#!/usr/bin/env bash
# Builds the Containerfile's image but for the program, and runs it as an MPIJob would: two "machines" with a container's files each, on which sshd runs as the image's user with keys
# of a Secret, and mpirun starts ranks on both by ssh.
#
#     deploy/check_image.sh PROGRAM
#
# PROGRAM is gpuvm-mpi's suite, built with Open MPI on the Debian release of the image. Its base is made by debootstrap, for images of a registry need not be at hand. On Debian these packages are
# used: buildah debootstrap iproute2 openssh-client python3. It needs root, Debian's packages over the network, 1 GB of disk and some two minutes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
program=$(realpath "${1:?check_image.sh PROGRAM}")
started=()
# shellcheck source=deploy/machines.sh
source "$here/machines.sh"

images() { buildah --root "$work/images" --runroot "$work/run" --storage-driver vfs "$@"; }

end() {
    local pid
    # Each is the first process of its namespace, whose others end with it.
    for pid in ${started[@]+"${started[@]}"}; do pkill -KILL -P "$pid" || true; done
    wait
    no_machines || true
    images rm --all >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap end EXIT

debian=$(sed -n 's/^ARG DEBIAN=//p' "$here/Containerfile")
echo "debootstrap: Debian $debian"
debootstrap --variant=minbase "$debian" "$work/base" >"$work/said" || { tail "$work/said"; exit 1; }
base=$(images from scratch)
tar -C "$work/base" -cf "$work/base.tar" .
images add --quiet "$base" "$work/base.tar" / >/dev/null
images commit --quiet "$base" "docker.io/library/debian:$debian-slim" >/dev/null
rm -rf "$work/base" "$work/base.tar"

echo "buildah: Containerfile, up to the program"
images build --pull=never --isolation chroot --network host --file "$here/Containerfile" --ignorefile "$here/Containerfile.dockerignore" \
    --target runtime --tag gpuvm "$here/.." >"$work/said" 2>&1 || { tail "$work/said"; exit 1; }

# The operator's: a pair of keys that belong to root, and the hosts with their slots.
ssh-keygen -q -t rsa -b 2048 -N '' -f "$work/key"
declare -A files
for host in gpuvm-a gpuvm-b; do
    files[$host]=$(images mount "$(images from --pull=never localhost/gpuvm)")
    fs=${files[$host]}
    mkdir "$fs/home/mpiuser/.ssh"
    install -m 644 "$work/key" "$fs/home/mpiuser/.ssh/id_rsa"
    install -m 644 "$work/key.pub" "$fs/home/mpiuser/.ssh/authorized_keys"
    install -D -m 755 "$program" "$fs/usr/local/bin/program"
    mkdir -p "$fs/etc/mpi"
    printf 'gpuvm-a slots=2\ngpuvm-b slots=2\n' >"$fs/etc/mpi/hostfile"
    hosts >"$fs/etc/hosts"
done
machines

# Runs something in a container on a machine, as Kubernetes would: the image's user, without a way to become another, and the operator's environment.
within() {
    local host=$1
    shift
    # shellcheck disable=SC2016
    exec ip netns exec "$host" unshare --uts --mount --ipc --pid --fork sh -c '
        hostname "$1"
        fs=$2
        shift 2
        mount --bind "$fs" "$fs"
        mount -t proc proc "$fs/proc"
        mount --rbind /sys "$fs/sys"
        mount --rbind /dev "$fs/dev"
        mount -t tmpfs tmpfs "$fs/dev/shm"
        mount -t tmpfs -o mode=1777 tmpfs "$fs/tmp"
        exec chroot --userspec=1000:1000 "$fs" setpriv --no-new-privs env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/home/mpiuser \
            OMPI_MCA_orte_keep_fqdn_hostnames=true OMPI_MCA_orte_default_hostfile=/etc/mpi/hostfile OMPI_MCA_plm_rsh_args="-o ConnectionAttempts=10" "$@"
    ' sh "$host" "${files[$host]}" "$@"
}
for host in gpuvm-a gpuvm-b; do
    (within "$host" /usr/sbin/sshd -De -f /home/mpiuser/.sshd_config) >"$work/sshd-$host" 2>&1 &
    started+=($!)
done
sleep 1

expected=$(GPUVM_BACKEND=cpu "$program" alone patterns)
before=$(sent)
(within gpuvm-a timeout 120 mpirun -n 4 --bind-to none -x GPUVM_BACKEND=cpu --mca btl "tcp,self" --mca btl_tcp_if_include gpuvm0 /usr/local/bin/program ranks patterns) >"$work/said" 2>&1 || true
after=$(sent)
if agree "$work/said" "$expected" && grep -q "Accepted publickey for mpiuser" "$work/sshd-gpuvm-b" && [[ $((after - before)) -gt 100000 ]]; then
    echo "ok       4 ranks in two containers find $expected, as one process does; $((after - before)) bytes went one way"
else
    echo "FAILED"
    cat "$work/said" "$work"/sshd-*
    exit 1
fi
