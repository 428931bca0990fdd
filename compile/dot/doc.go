// Package dot is the lane of Graphviz: graphs written in DOT become pictures.
// Graphviz itself, all of its layouts included, runs in the sandbox as the
// WebAssembly program that the Viz.js project builds of it.
//
//   - babel: what ob-dot does. :file gives the format by its extension (svg,
//     json, plain, xdot, dot, ps, eps, …), :cmd the layout (dot, neato, fdp,
//     sfdp, circo, twopi, osage, patchwork), :cmdline options of the dot command
//     (-T -K -G -N -E -y); $name in the block is replaced by the variable name;
//     :prologue and :epilogue work. The picture is the block's value.
//   - component: the inputs replace $name; the output is the picture.
//   - command: options come from the command line; the picture is printed.
//
// There are no bitmaps: png and pdf need libraries that draw, which are not part
// of the program. Text is measured with Graphviz's own tables of font metrics,
// since there are no fonts; images in nodes are not read.
package dot
