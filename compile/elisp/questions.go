package elisp

import (
	"io/fs"
	"os"

	"wb/sandbox"
)

// questions is a directory through which a program asks the host: it writes a
// question into one file and finds the answer in another. No function has to be
// imported for it, so that an Emacs that was built earlier can ask as well.
type questions struct {
	*sandbox.MemFS
	answer func(question string) string
}

// The files; see wb--ask in guest/org.el.
const (
	questionFile = "question"
	answerFile   = "answer"
)

// OpenFile implements sandbox.FS: to open the answer is to ask.
func (q *questions) OpenFile(name string, flag int, perm fs.FileMode) (sandbox.File, error) {
	if name == answerFile && flag&(os.O_WRONLY|os.O_RDWR) == 0 {
		question, err := q.ReadFile(questionFile)
		if err != nil {
			return nil, err
		}
		if err := q.WriteFile(answerFile, []byte(q.answer(string(question)))); err != nil {
			return nil, err
		}
	}
	return q.MemFS.OpenFile(name, flag, perm)
}
