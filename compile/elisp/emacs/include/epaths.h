/* epaths.h: where Emacs finds its files.
   SPDX-License-Identifier: GPL-3.0-or-later; see NOTICE.  */
#define PATH_LOADSEARCH "/usr/share/emacs/28.2/lisp"
#define PATH_REL_LOADSEARCH "28.2/lisp"
#define PATH_SITELOADSEARCH ""
#define PATH_DUMPLOADSEARCH PATH_LOADSEARCH
#define PATH_EXEC "/usr/libexec/emacs"
#define PATH_DATA "/usr/share/emacs/28.2/etc"
#define PATH_DOC "/usr/share/emacs/doc"
#define PATH_BITMAPS ""
#define PATH_INFO "/usr/share/info"
#define PATH_GAME NULL
