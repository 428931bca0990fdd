/* wb.c: what the host calls in Emacs, and Emacs in the host.
   SPDX-License-Identifier: GPL-3.0-or-later; see NOTICE.  */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lisp.h"
#include "buffer.h"
#include "coding.h"
#include "wb.h"

#define EXPORT(name) __attribute__ ((export_name (#name))) name
#define IMPORT(name) __attribute__ ((import_module ("wb"), import_name (#name)))

IMPORT (try) int host_try (void *block);
_Noreturn IMPORT (throw) void host_throw (void);

/* Blocks name it as their class; nothing looks at it here.  */
void *_NSConcreteStackBlock[32];

int wb_depth;
bool wb_may_collect;
static int target;

bool
wb_try_block (void (^body) (void))
{
  int number = ++wb_depth;
  int thrown = host_try ((void *) body);
  wb_depth = number - 1;
  if (thrown && target != number)
    host_throw ();
  return thrown;
}

void
wb_throw (int number)
{
  target = number;
  host_throw ();
}

/* Called by the host's try.  */
void
EXPORT (wb_protected) (void *block)
{
  ((void (^) (void)) block) ();
}

extern int wb_main (int, char **);

static Lisp_Object
load_lisp (Lisp_Object unused)
{
  return Fload (build_string ("/usr/share/emacs/wb/boot.el"), Qnil, Qt, Qt, Qnil);
}

static Lisp_Object answer;

static Lisp_Object
keep_error (Lisp_Object data)
{
  return Fcons (Qerror, data);
}

static Lisp_Object
load_protected (Lisp_Object unused)
{
  return internal_condition_case_1 (load_lisp, Qnil, Qt, keep_error);
}

/* Keep what the host shall read: a string in UTF-8.  */
static void
keep (Lisp_Object value)
{
  if (!STRINGP (value))
    value = Fprin1_to_string (value, Qnil);
  answer = encode_string_utf_8 (value, Qnil, false, Qt, Qt);
}

/* Start Emacs and load boot.el.  Zero when all went well.  */
int
EXPORT (wb_boot) (void)
{
  static char *argv[] = { "emacs", "-batch", "-Q", NULL };
  wb_main (3, argv);
  staticpro (&answer);
  Lisp_Object result = internal_catch (Qtop_level, load_protected, Qnil);
  if (EQ (result, Qt))
    {
      wb_may_collect = true;
      garbage_collect ();
      wb_may_collect = false;
      return 0;
    }
  keep (result);
  return 1;
}

static char *room;
static ptrdiff_t room_size;

/* Memory for the host to put a request in.  */
void *
EXPORT (wb_room) (ptrdiff_t size)
{
  if (size > room_size)
    {
      free (room);
      room_size = 0;
      room = malloc (size);
      if (room)
	room_size = size;
    }
  return room;
}

static Lisp_Object
evaluate (Lisp_Object request)
{
  return call1 (intern ("wb--answer"), request);
}

static Lisp_Object
evaluate_protected (Lisp_Object request)
{
  return internal_condition_case_1 (evaluate, request, Qt, keep_error);
}

/* Answer the request in the room.  Zero when wb--answer has returned.  */
int
EXPORT (wb_run) (ptrdiff_t size)
{
  wb_depth = 0;
  Lisp_Object request = make_unibyte_string (room, size);
  Lisp_Object result = internal_catch (Qtop_level, evaluate_protected, request);
  fflush (stdout);
  bool good = STRINGP (result);
  keep (result);
  return !good;
}

/* Free what nobody refers to any more: between two requests only.  */
void
EXPORT (wb_collect) (void)
{
  wb_may_collect = true;
  garbage_collect ();
  wb_may_collect = false;
}

void *
EXPORT (wb_answer) (void)
{
  return SDATA (answer);
}

ptrdiff_t
EXPORT (wb_answer_len) (void)
{
  return SBYTES (answer);
}
