//! What a block may ask of the host. A block asks with :uses kv, and the person
//! who runs it grants it with --grant kv; a program that uses what was not
//! granted does not start.
//!
//!     const wb = @import("wb");
//!     if (try wb.kv.get("count")) |value| defer wb.free(value);
//!
//! JSON parameters and results are text, "" for none; null says that there is
//! nothing. problem() is what the host said last.
const std = @import("std");
const allocator = std.heap.c_allocator;

pub const Error = error{ Denied, Limit, Invalid, NotFound, Failed, OutOfMemory };

extern fn wb_dock_reply(to: [*]u8) void;

var last: []u8 = "";

/// The host's last error, as {"error":…,"code":…,"hint":…}.
pub fn problem() []const u8 {
    return last;
}

/// Frees what a function has returned.
pub fn free(bytes: []const u8) void {
    const whole: [*]const u8 = bytes.ptr - 1;
    allocator.free(whole[0 .. bytes.len + 1]);
}

fn put(at: []u8, data: []const u8) []u8 {
    std.mem.writeInt(u32, at[0..4], @intCast(data.len), .little);
    @memcpy(at[4..][0..data.len], data);
    return at[4 + data.len ..];
}

fn frame(operation: []const u8, args: []const []const u8) Error![]u8 {
    var size: usize = 8 + operation.len;
    for (args) |a| size += 4 + a.len;
    const whole = try allocator.alloc(u8, size);
    var at = put(whole, operation);
    std.mem.writeInt(u32, at[0..4], @intCast(args.len), .little);
    at = at[4..];
    for (args) |a| at = put(at, a);
    return whole;
}

fn take(size: u32) Error!?[]u8 {
    const reply = try allocator.alloc(u8, size);
    wb_dock_reply(reply.ptr);
    if (reply[0] == 1) return reply[1..];
    if (reply[0] == 0) {
        allocator.free(reply);
        return null;
    }
    last = reply[1..];
    if (std.mem.indexOf(u8, last, "\"code\":\"denied\"") != null) return error.Denied;
    if (std.mem.indexOf(u8, last, "\"code\":\"limit\"") != null) return error.Limit;
    if (std.mem.indexOf(u8, last, "\"code\":\"invalid\"") != null) return error.Invalid;
    if (std.mem.indexOf(u8, last, "\"code\":\"notfound\"") != null) return error.NotFound;
    return error.Failed;
}
