package zig

import (
	"fmt"
	"strings"

	"wb/compile"
	"wb/compile/cbackend"
	"wb/internal/value"
)

// glueRuntime converts between data as package abi lays them out and the
// author's types, which the compiler works out at compile time.
const glueRuntime = `const std = @import("std");
const block = @import("block.zig");
const wb_gpa = std.heap.c_allocator;

fn wb_fail(comptime text: []const u8) noreturn {
    const line = "panic: " ++ text ++ "\n";
    _ = std.c.write(2, line, line.len);
    std.c.abort();
}

const WbText = ?[*:0]const u8;

fn WbList(comptime W: type) type {
    return extern struct {
        ptr: ?[*]const W,
        len: u32,
        const WbChild = W;
    };
}

fn wb_room(comptime T: type, n: usize) []T {
    return wb_gpa.alloc(T, n) catch wb_fail("out of memory");
}

fn wb_in(comptime T: type, w: anytype) T {
    const W = @TypeOf(w);
    switch (@typeInfo(T)) {
        .int => return std.math.cast(T, w) orelse wb_fail("an argument does not fit " ++ @typeName(T)),
        .optional => |o| {
            if (W == WbText) return if (w == null) null else wb_in(o.child, w);
            if (@typeInfo(W) == .@"struct") return if (w.ptr == null) null else wb_in(o.child, w);
            return if (w) |p| wb_in(o.child, p.*) else null;
        },
        .pointer => |p| {
            if (p.size == .one) {
                const one = wb_room(p.child, 1);
                one[0] = wb_in(p.child, w);
                return &one[0];
            }
            if (W == WbText) return std.mem.span(@constCast(w.?));
            const list = wb_room(p.child, w.len);
            for (list, 0..) |*item, i| item.* = wb_in(p.child, w.ptr.?[i]);
            return list;
        },
        .@"struct" => |s| {
            var made: T = undefined;
            inline for (s.fields, 0..) |f, i| {
                const name = if (@hasField(W, f.name)) f.name else @typeInfo(W).@"struct".fields[i].name;
                @field(made, f.name) = wb_in(f.type, @field(w, name));
            }
            return made;
        },
        .array => |a| {
            var made: T = undefined;
            inline for (@typeInfo(W).@"struct".fields, 0..) |f, i| made[i] = wb_in(a.child, @field(w, f.name));
            return made;
        },
        else => return w,
    }
}

fn wb_out(comptime W: type, v: anytype) W {
    const T = @TypeOf(v);
    if (W == WbText) {
        if (@typeInfo(T) == .optional) return if (v) |text| wb_out(W, text) else null;
        const text: []const u8 = v;
        if (std.mem.indexOfScalar(u8, text, 0) != null) wb_fail("the returned text contains a NUL byte, which ends a text here");
        return wb_gpa.dupeZ(u8, text) catch wb_fail("out of memory");
    }
    switch (@typeInfo(W)) {
        .int => return std.math.cast(W, v) orelse wb_fail("the result does not fit " ++ @typeName(W)),
        .optional => |o| {
            const Child = @typeInfo(o.child).pointer.child;
            const value = v orelse return null;
            const one = wb_room(Child, 1);
            one[0] = wb_out(Child, value);
            return &one[0];
        },
        .@"struct" => |s| {
            if (@hasDecl(W, "WbChild")) {
                if (@typeInfo(T) == .optional) return if (v) |list| wb_out(W, list) else .{ .ptr = null, .len = 0 };
                const list = wb_room(W.WbChild, v.len + 1);
                for (v, 0..) |item, i| list[i] = wb_out(W.WbChild, item);
                return .{ .ptr = list.ptr, .len = v.len };
            }
            var made: W = undefined;
            inline for (s.fields, 0..) |f, i| {
                const item = switch (@typeInfo(T)) {
                    .array => v[i],
                    .pointer => @field(v.*, f.name),
                    .@"struct" => |t| @field(v, if (@hasField(T, f.name)) f.name else t.fields[i].name),
                    else => @compileError("the function returns " ++ @typeName(T) ++ ", which is not a struct"),
                };
                @field(made, f.name) = wb_out(f.type, item);
            }
            return made;
        },
        else => return v,
    }
}

export fn wb_alloc(n: u32) u32 {
    return @intFromPtr(wb_room(u64, n / 8 + 1).ptr);
}
`

// makeGlue writes the code that calls f as sig says.
func makeGlue(src *compile.Source, sig *value.Sig, f function) (string, error) {
	if err := f.Check(src, sig, "an error union", prototype(f.Name, sig)); err != nil {
		return "", err
	}
	whole := f.Called(sig)
	var b strings.Builder
	b.WriteString(glueRuntime)
	b.WriteString("\nconst WbArgs = extern struct {")
	for i, p := range whole.Params {
		fmt.Fprintf(&b, " p%d: %s,", i, wire(p.Type))
	}
	b.WriteString(" };\nconst WbResult = ")
	single := len(whole.Results) == 1 && whole.Results[0].Name == ""
	switch {
	case single:
		b.WriteString(wire(whole.Results[0].Type))
	default:
		b.WriteString(wire(value.Type{Kind: value.TypeRecord, Fields: whole.Results}))
	}
	fmt.Fprintf(&b, ";\n\nexport fn wb_call(args: *const WbArgs, result: *WbResult) void {\n    var list: std.meta.ArgsTuple(@TypeOf(block.%s)) = undefined;\n", f.Name)
	for i := range whole.Params {
		fmt.Fprintf(&b, "    list[%d] = wb_in(@TypeOf(list[%d]), args.p%d);\n", i, i, i)
	}
	if len(whole.Params) == 0 {
		b.WriteString("    _ = args;\n    _ = &list;\n")
	}
	call := "@call(.auto, block." + f.Name + ", list)"
	switch {
	case f.Fails:
		ok := "wb_out(@FieldType(@FieldType(WbResult, \"u\"), \"ok\"), v)"
		unused := ""
		if len(sig.Results) == 0 {
			ok, unused = "null", "        _ = v;\n"
		}
		fmt.Fprintf(&b, "    if (%s) |v| {\n%s        result.is_err = false;\n        result.u = .{ .ok = %s };\n    } else |e| {\n        result.is_err = true;\n        result.u = .{ .err = wb_out(WbText, @errorName(e)) };\n    }\n", call, unused, ok)
	case len(whole.Results) == 0:
		fmt.Fprintf(&b, "    _ = result;\n    _ = %s;\n", call)
	default:
		fmt.Fprintf(&b, "    result.* = wb_out(WbResult, %s);\n", call)
	}
	b.WriteString("}\n")
	return b.String(), nil
}

// wire is the Zig type that lies in memory as package abi has it.
func wire(t value.Type) string {
	if s, ok := cbackend.Scalars[t.Kind]; ok {
		return s
	}
	switch t.Kind {
	case value.TypeList:
		return "WbList(" + wire(t.Args[0]) + ")"
	case value.TypeOption:
		if inner := t.Args[0].Kind; inner == value.TypeString || inner == value.TypeList {
			return wire(t.Args[0])
		}
		return "?*const " + wire(t.Args[0])
	case value.TypeResult:
		return "extern struct { is_err: bool, u: extern union { ok: " + wire(t.Args[0]) + ", err: " + wire(t.Args[1]) + " } }"
	case value.TypeTuple:
		var fields []string
		for i, a := range t.Args {
			fields = append(fields, fmt.Sprintf("f%d: %s", i, wire(a)))
		}
		return "extern struct { " + strings.Join(fields, ", ") + " }"
	case value.TypeRecord:
		var fields []string
		for _, f := range t.Fields {
			fields = append(fields, identifier(f.Name)+": "+wire(f.Type))
		}
		return "extern struct { " + strings.Join(fields, ", ") + " }"
	}
	return "WbText"
}

// prototype is the function as the signature wants it in Zig.
func prototype(name string, sig *value.Sig) string {
	var params []string
	for _, p := range sig.Params {
		params = append(params, identifier(p.Name)+": "+author(p.Type))
	}
	result := "void"
	switch {
	case len(sig.Results) == 1 && sig.Results[0].Name == "":
		result = author(sig.Results[0].Type)
	case len(sig.Results) > 0:
		result = author(value.Type{Kind: value.TypeRecord, Fields: sig.Results})
	}
	return "fn " + name + "(" + strings.Join(params, ", ") + ") " + result
}

// author is the Zig type an author would write.
func author(t value.Type) string {
	if s, ok := cbackend.Scalars[t.Kind]; ok {
		return s
	}
	switch t.Kind {
	case value.TypeList:
		return "[]const " + author(t.Args[0])
	case value.TypeOption:
		return "?" + author(t.Args[0])
	case value.TypeResult:
		return "!" + author(t.Args[0])
	case value.TypeTuple:
		var fields []string
		for _, a := range t.Args {
			fields = append(fields, author(a))
		}
		return "struct { " + strings.Join(fields, ", ") + " }"
	case value.TypeRecord:
		var fields []string
		for _, f := range t.Fields {
			fields = append(fields, identifier(f.Name)+": "+author(f.Type))
		}
		return "struct { " + strings.Join(fields, ", ") + " }"
	}
	return textType
}
