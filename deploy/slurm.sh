#!/usr/bin/env bash
# A Slurm job for a program that is built with gpuvm-mpi, one rank for each GPU:
#
#     sbatch slurm.sh ./my-program its arguments
#
# Edit what stands between the lines, and the numbers of nodes, GPUs and cores. docs/clusters.md tells more.
#SBATCH --job-name=gpuvm
#SBATCH --nodes=8
#SBATCH --gpus-per-node=8
# As many ranks as GPUs on each node, and the node's cores shared out among them.
#SBATCH --ntasks-per-node=8
#SBATCH --cpus-per-task=8
#SBATCH --time=04:00:00
# So many seconds before the time is over this script gets the signal.
#SBATCH --signal=B:USR1@120
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=%x-%j.log

# ----------------------------------------------------------------------------------------------------------------------
# How ranks are started:
#   pmix    by srun, for Open MPI and for MPICH that is built with PMIx; `srun --mpi=list` has to name it
#   pmi2    by srun, for MPICH, as Debian has it, and for Intel MPI
#   mpirun  by the MPI's own mpirun, where Slurm speaks neither; MPIRUN names it
START=${START:-pmix}
# The file that the program saves to and goes on from, in a folder that all nodes share. Without one the job ends with its time.
CHECKPOINT=${CHECKPOINT:-}
# The network between nodes where MPI's choice is not good, as `ip address` names it: ib0, eth0.
NETWORK=${NETWORK:-}
# ----------------------------------------------------------------------------------------------------------------------

set -euo pipefail
if [[ $# -eq 0 ]]; then
    echo "slurm.sh: which program? sbatch slurm.sh ./my-program" >&2
    exit 2
fi

# Slurm has bound each rank to its cores, and Open MPI is not to bind it anew.
export OMPI_MCA_hwloc_base_binding_policy=none
if [[ -n $NETWORK ]]; then
    # Open MPI over TCP, and both MPIs through UCX.
    export OMPI_MCA_btl_tcp_if_include=$NETWORK OMPI_MCA_oob_tcp_if_include=$NETWORK UCX_NET_DEVICES=$NETWORK
    # What starts the ranks of MPICH, and MPICH through libfabric.
    export HYDRA_IFACE=$NETWORK FI_TCP_IFACE=$NETWORK
fi
# GPUVM_BACKEND stays as it is: where it is set, ranks do not share out the GPUs that they see, and all of a node take the same one.

case $START in
    pmix | pmi2)
        # Slurm does not hand the cores of a task on to srun by itself since 22.05. A rank that fails ends the others.
        start=(srun "--mpi=$START" "--cpus-per-task=${SLURM_CPUS_PER_TASK:-1}" --cpu-bind=cores --kill-on-bad-exit=1)
        ;;
    mpirun)
        # It asks Slurm where to start how many ranks.
        start=("${MPIRUN:-mpirun}" -n "$SLURM_NTASKS")
        ;;
    *)
        echo "slurm.sh: START is pmix, pmi2 or mpirun, and not $START" >&2
        exit 2
        ;;
esac

begun=$(mktemp)
trap 'rm -f "$begun"' EXIT

# Programs save at turns that all ranks count alike, never by a clock; so nothing is asked of them here, and the job begins anew behind the last checkpoint.
# What has saved nothing since it began would do so for ever.
# shellcheck disable=SC2317 # the trap calls it
again() {
    if [[ -n $CHECKPOINT && $CHECKPOINT -nt $begun ]]; then
        echo "slurm.sh: the time is over, and the job goes on from $CHECKPOINT when it has nodes again"
        scontrol requeue "$SLURM_JOB_ID"
    else
        echo "slurm.sh: the time is over, and nothing was saved since the job began${CHECKPOINT:+ to $CHECKPOINT}: it ends" >&2
    fi
}
trap again USR1

"${start[@]}" "$@" &
ranks=$!
# A signal ends the wait, not the ranks.
status=0
wait "$ranks" || status=$?
while kill -0 "$ranks" 2>/dev/null; do
    status=0
    wait "$ranks" || status=$?
done
exit "$status"
