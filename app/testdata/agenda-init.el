;;; Commands of all kinds, for TestAgendaCommandsLikeEmacs.  -*- lexical-binding: t -*-
(setq org-todo-keywords '((sequence "TODO(t)" "NEXT(n)" "WAITING(w@/!)" "|" "DONE(d!)" "CANCELLED(c)"))
      org-modules '(org-habit)
      org-stuck-projects '("+project/-DONE" ("NEXT") nil ""))
(require 'org-habit)
(require 'org-unknown-to-everyone)

(defun ada/skip-unless-tagged (tag)
  "Skip entries that do not have TAG themselves."
  (unless (member tag (org-get-tags nil t))
    (save-excursion (or (outline-next-heading) (goto-char (point-max))) (point))))

(defun ada/by-length (a b)
  "Compare the titles of A and B by their length."
  (let ((a (length (get-text-property 0 'txt a))) (b (length (get-text-property 0 'txt b))))
    (cond ((< a b) -1) ((> a b) 1))))

(setq org-agenda-custom-commands
      '(("c" . "Commands by kind")
        ("ca" "A day" agenda "" ((org-agenda-span 'day) (org-agenda-start-with-log-mode t)))
        ("cf" "A fortnight" agenda "" ((org-agenda-span 14) (org-agenda-start-on-weekday nil) (org-agenda-start-day "-3d")))
        ("ct" "Waiting" todo "WAITING|NEXT")
        ("cg" "Tags" tags "work+PRIORITY=\"A\"")
        ("cm" "Match" tags-todo "-home/!-WAITING" ((org-tags-match-list-sublevels 'indented)))
        ("ce" "Effort" tags-todo "Effort<>\"\"+Effort<=\"1:00\"" ((org-agenda-sorting-strategy '(effort-up alpha-up))))
        ("cd" "Soon" tags-todo "DEADLINE<=\"<+10d>\"" ((org-agenda-sorting-strategy '(deadline-up priority-down))))
        ("cs" "Search" search "item")
        ("ck" "Stuck" stuck "")
        ("cl" "All" alltodo "" ((org-agenda-todo-ignore-scheduled 'future) (org-agenda-todo-ignore-deadlines 'far)))
        ("w" "Work"
         ((agenda "" ((org-agenda-span 3) (org-deadline-warning-days 5) (org-agenda-entry-types '(:deadline :scheduled))))
          (tags-todo "work"
                     ((org-agenda-overriding-header "At work")
                      (org-agenda-skip-function '(org-agenda-skip-entry-if 'scheduled 'deadline))
                      (org-agenda-prefix-format '((tags . " %5e %-12:c %l%(format \"<%s>\" (or (org-entry-get nil \"OWNER\") \"\")) ")))
                      (org-agenda-sorting-strategy '(todo-state-up tag-down priority-down))))
          (todo "WAITING" ((org-agenda-skip-function '(ada/skip-unless-tagged "phone"))
                           (org-agenda-todo-keyword-format ""))))
         ((org-agenda-compact-blocks t)))
        ("o" "Own order" alltodo "" ((org-agenda-cmp-user-defined 'ada/by-length)
                                     (org-agenda-sorting-strategy '(user-defined-up alpha-up))
                                     (org-agenda-max-entries 12)
                                     (org-agenda-hide-tags-regexp "work")))
        ("s" "Separated" ((todo "NEXT" ((org-agenda-overriding-header ""))) (tags "LEVEL=1+phone") (agenda "" ((org-agenda-use-time-grid nil))))
         ((org-agenda-block-separator ?-) (org-agenda-remove-tags t) (org-agenda-dim-blocked-tasks nil)))
        ("r" "Regexps" ((tags-todo "{^ho.*}" ((org-agenda-skip-function '(org-agenda-skip-subtree-if 'regexp "item 1"))))
                        (tags "TIMESTAMP_IA<\"<now>\"|CLOSED>=\"<-1w>\"")))
        ("h" "Habits" agenda "" ((org-agenda-span 'day) (org-habit-graph-column 60) (org-habit-show-habits-only-for-today nil)))))
