//! GPUs that are in the machine and that no back end reaches: a program that runs on the CPU for that says so.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Once;

use crate::counted::counted;
use crate::unheard;

/// Says once in this process that launches run on the CPU although the machine has a GPU, if it has one, and the reason why no back end has
/// it.
pub(crate) fn tell(reason: &str) {
    static TOLD: Once = Once::new();
    TOLD.call_once(|| {
        if let Some(gpus) = in_machine(Path::new("/")) {
            let warning = warning(&gpus, reason);
            tracing::warn!(gpus, "{warning}");
            unheard::print(&warning);
        }
    });
}

fn warning(gpus: &str, reason: &str) -> String {
    format!(
        "this machine has {gpus}, and launches run on its CPU: {reason}. For Vulkan install its loader (`apt install libvulkan1`) and the \
         driver's part for it, which a container gets with `NVIDIA_DRIVER_CAPABILITIES=all`, for CUDA with `compute`; `GPUVM_BACKEND=cpu` \
         takes the CPU without a word"
    )
}

/// The GPUs that Linux knows of, as words; `None` if there are none, and elsewhere. `root` is where the file system begins.
fn in_machine(root: &Path) -> Option<String> {
    let mut gpus: BTreeMap<String, usize> = BTreeMap::new();
    for gpu in entries(&root.join("proc/driver/nvidia/gpus")) {
        let about = fs::read_to_string(gpu.join("information")).unwrap_or_default();
        let model = about.lines().find_map(|line| line.strip_prefix("Model:"));
        let name = model.map_or("NVIDIA GPU", str::trim);
        *gpus.entry(name.to_string()).or_default() += 1;
    }
    for node in entries(&root.join("sys/class/drm")) {
        let is_render = node
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("renderD"));
        let vendor = fs::read_to_string(node.join("device/vendor")).unwrap_or_default();
        let name = match vendor.trim() {
            "0x1002" => "AMD GPU",
            "0x8086" => "Intel GPU",
            _ => continue,
        };
        *gpus.entry(name.to_string()).or_default() += usize::from(is_render);
    }
    let named: Vec<String> = gpus
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| counted(count, &name))
        .collect();
    (!named.is_empty()).then(|| named.join(" and "))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_are_counted_by_their_names() {
        let root = std::env::temp_dir().join(format!("gpuvm-overlooked-{}", std::process::id()));
        let put = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        assert_eq!(in_machine(&root), None);
        put("sys/class/drm/card0/device/vendor", "0x1002\n");
        put("sys/class/drm/renderD128/device/vendor", "0x1af4\n");
        assert_eq!(in_machine(&root), None, "a screen, and a virtual GPU");
        let about = "Model: \t\t NVIDIA H200\nIRQ:   \t\t 257\n";
        put("proc/driver/nvidia/gpus/0000:04:00.0/information", about);
        put("proc/driver/nvidia/gpus/0000:05:00.0/information", about);
        put("sys/class/drm/renderD129/device/vendor", "0x1002\n");
        let found = in_machine(&root).unwrap();
        assert_eq!(found, "1 AMD GPU and 2 NVIDIA H200s");
        let begin = "this machine has 1 AMD GPU and 2 NVIDIA H200s, and launches run on its CPU: nothing is there. For";
        assert!(warning(&found, "nothing is there").starts_with(begin));
        fs::remove_dir_all(root).unwrap();
    }
}
