// Between interleaved rows, as the engines keep states and frames, and records, as everybody else does.

struct Transpose {
    // Lanes of the rows, which is how many VMs there are.
    lanes: u32,
    // The first VM to move, and how many.
    first: u32,
    count: u32,
    // The first row to move, and how many: the length of a record.
    first_row: u32,
    rows: u32,
    // Not 0: from rows to records. 0: the other way.
    gather: u32,
    // A row in place of which records have the VM's number in the launch, from that of the first lane on. No row, if there is none.
    id_row: u32,
    first_id: u32,
}

@group(0) @binding(0) var<uniform> transpose: Transpose;
@group(0) @binding(1) var<storage, read_write> interleaved: array<u32>;
@group(0) @binding(2) var<storage, read_write> records: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn move_words(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let word = (group.y * groups.x + group.x) * WORKGROUP + local;
    if word >= transpose.count * transpose.rows {
        return;
    }
    let vm = transpose.first + word / transpose.rows;
    let row = transpose.first_row + word % transpose.rows;
    let place = row * transpose.lanes + vm;
    if transpose.gather != 0u {
        records[word] = select(interleaved[place], transpose.first_id + vm, row == transpose.id_row);
    } else {
        interleaved[place] = records[word];
    }
}
