// One thread per sample, which computes one stage of the integration at a time.

@group(0) @binding(2) var<storage, read_write> numbers: array<real>;
@group(0) @binding(3) var<storage, read_write> marks: array<u32>;

var<private> thread: u32;

fn number_of(i: u32) -> real { return numbers[i * run.threads + thread]; }
fn set_number(i: u32, x: real) { numbers[i * run.threads + thread] = x; }
fn mark_of(i: u32) -> u32 { return marks[i * run.threads + thread]; }
fn set_mark(i: u32, mark: u32) { marks[i * run.threads + thread] = mark; }

@compute @workgroup_size(WORKGROUP)
fn sample_inclusion(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    thread = i;
    if (i >= run.count) {
        return;
    }
    enter(i);
    let stream = stream_of(i);
    var s = load(i);
    if (s.status != RUNNING) {
        return;
    }
    var c: Course;
    if (run.fresh == 1u) {
        c = begin_course(stream, &s);
    } else {
        c = load_course();
    }
    for (var round = 0u; s.status == RUNNING && round < run.budget; round++) {
        advance_course(stream, max_steps(), &s, &c);
    }
    store_course(&c);
    store(i, &s);
}
