"""Checks mpijob.yaml against the fields of an MPIJob (v2beta1), and against what the Containerfile's image has; with a second argument, the operator's CRD,
against that schema as well: mpijob.py FOLDER [CRD]."""

import pathlib
import re
import sys

import yaml

# Fields of the operator's v2beta1 API, as far as they are its own.
SPEC = {
    "slotsPerWorker", "runLauncherAsWorker", "runPolicy", "mpiReplicaSpecs", "sshAuthMountPath", "launcherCreationPolicy", "mpiImplementation",
}
RUN_POLICY = {
    "cleanPodPolicy", "ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit", "schedulingPolicy", "suspend", "managedBy",
}
REPLICA = {"replicas", "restartPolicy", "template"}


def closed(schema):
    """A schema that takes no field it does not name, as Kubernetes with strict validation does."""
    if isinstance(schema, dict):
        if "properties" in schema and "additionalProperties" not in schema and not schema.get("x-kubernetes-preserve-unknown-fields"):
            schema["additionalProperties"] = False
        if schema.pop("x-kubernetes-int-or-string", False):
            schema.pop("type", None)
            schema.pop("anyOf", None)
        for value in schema.values():
            closed(value)
    elif isinstance(schema, list):
        for value in schema:
            closed(value)
    return schema


def by_schema(job, crd):
    """What the operator's schema says of a job."""
    import jsonschema

    documents = [document for document in yaml.safe_load_all(crd.read_text()) if document and document["kind"] == "CustomResourceDefinition"]
    versions = [version for version in documents[0]["spec"]["versions"] if version["name"] == "v2beta1"]
    schema = closed(versions[0]["schema"]["openAPIV3Schema"])
    # Kubernetes checks metadata itself.
    schema["properties"]["metadata"] = {"type": "object"}
    found = jsonschema.Draft202012Validator(schema).iter_errors(job)
    return ["/".join(map(str, error.absolute_path)) + ": " + error.message for error in found]


def wrong(folder):
    """All that is wrong with a folder's job."""
    jobs = [job for job in yaml.safe_load_all((folder / "mpijob.yaml").read_text()) if job]
    if len(jobs) != 1:
        yield "one document was expected"
        return
    job = jobs[0]
    if (job.get("apiVersion"), job.get("kind")) != ("kubeflow.org/v2beta1", "MPIJob"):
        yield "it is no MPIJob of kubeflow.org/v2beta1"
    spec = job["spec"]
    for what, given, known in [("spec", spec, SPEC), ("runPolicy", spec.get("runPolicy", {}), RUN_POLICY)]:
        for name in set(given) - known:
            yield f"{what} has no field `{name}`"
    if spec.get("mpiImplementation", "OpenMPI") != "OpenMPI":
        yield "the image has Open MPI"
    if spec.get("launcherCreationPolicy", "AtStartup") not in ("AtStartup", "WaitForWorkersReady"):
        yield "there is no such launcherCreationPolicy"
    if spec["runPolicy"].get("cleanPodPolicy", "Running") not in ("All", "Running", "None"):
        yield "there is no such cleanPodPolicy"
    replicas = spec["mpiReplicaSpecs"]
    if set(replicas) != {"Launcher", "Worker"}:
        yield "there have to be a Launcher and Workers"
        return
    for role, replica in replicas.items():
        for name in set(replica) - REPLICA:
            yield f"{role} has no field `{name}`"
        for container in replica["template"]["spec"]["containers"]:
            if container["securityContext"].get("runAsUser") != 1000:
                yield f"{role} does not run as the image's user"
    if replicas["Launcher"]["replicas"] != 1:
        yield "there is one launcher"
    launcher, worker = (replicas[role]["template"]["spec"]["containers"][0] for role in ("Launcher", "Worker"))
    workers, slots = replicas["Worker"]["replicas"], spec["slotsPerWorker"]
    if launcher["args"][:2] != ["-n", str(workers * slots)]:
        yield f"{workers} workers with {slots} slots are {workers * slots} ranks, and mpirun has other arguments: {launcher['args']}"
    if worker["resources"]["limits"].get("nvidia.com/gpu") != slots:
        yield "a worker has other GPUs than ranks"
    if launcher["image"] != worker["image"]:
        yield "launcher and workers have different images"

    # What the image has.
    image = (folder / "Containerfile").read_text()
    sshd = dict(line.split(None, 1) for line in (folder / "sshd_config").read_text().splitlines() if line and not line.startswith("#"))
    if str(worker["readinessProbe"]["tcpSocket"]["port"]) != sshd["Port"] or f"Port {sshd['Port']}" not in (folder / "ssh_config").read_text():
        yield "ports of sshd, ssh and the probe differ"
    home = pathlib.PurePosixPath(spec["sshAuthMountPath"])
    for file in ("HostKey", "AuthorizedKeysFile"):
        if pathlib.PurePosixPath(sshd[file]).parent != home:
            yield f"{file} is not where the operator puts keys"
    for path in (worker["args"][-1], launcher["args"][-1]):
        if path not in image:
            yield f"the image has no {path}"
    if not re.search(r"useradd .*--uid 1000 mpiuser", image) or "\nUSER 1000\n" not in image:
        yield "the image has no user 1000"
    if "NVIDIA_DRIVER_CAPABILITIES=compute,utility" not in image:
        yield "the image does not ask for CUDA's driver"


def main():
    folder = pathlib.Path(sys.argv[1])
    try:
        found = list(wrong(folder))
    except KeyError as missing:
        found = [f"a field {missing} is missing"]
    if len(sys.argv) > 2:
        found += by_schema(yaml.safe_load((folder / "mpijob.yaml").read_text()), pathlib.Path(sys.argv[2]))
    for text in found:
        print(f"mpijob.yaml: {text}")
    sys.exit(bool(found))


main()
