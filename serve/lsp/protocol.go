package lsp

// The parts of the Language Server Protocol 3.17 that this server speaks, under
// the names the specification gives them.

// position is a place in a text: a line from 0 and a character in it, counted
// in units of the negotiated encoding.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

func (p position) before(q position) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Character < q.Character
}

type textRange struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string    `json:"uri"`
	Range textRange `json:"range"`
}

type textEdit struct {
	Range   textRange `json:"range"`
	NewText string    `json:"newText"`
}

type documentID struct {
	URI string `json:"uri"`
}

type versionedDocument struct {
	URI     string `json:"uri"`
	Version *int   `json:"version"`
}

type textDocumentEdit struct {
	TextDocument versionedDocument `json:"textDocument"`
	Edits        []textEdit        `json:"edits"`
}

type workspaceEdit struct {
	Changes         map[string][]textEdit `json:"changes,omitempty"`
	DocumentChanges []textDocumentEdit    `json:"documentChanges,omitempty"`
}

// placeParams are the parameters of most requests.
type placeParams struct {
	TextDocument documentID `json:"textDocument"`
	Position     position   `json:"position"`
}

type initializeParams struct {
	RootURI          string            `json:"rootUri"`
	WorkspaceFolders []workspaceFolder `json:"workspaceFolders"`
	Capabilities     struct {
		General struct {
			PositionEncodings []string `json:"positionEncodings"`
		} `json:"general"`
		Window struct {
			WorkDoneProgress bool `json:"workDoneProgress"`
		} `json:"window"`
		Workspace struct {
			ApplyEdit     bool `json:"applyEdit"`
			WorkspaceEdit struct {
				DocumentChanges bool `json:"documentChanges"`
			} `json:"workspaceEdit"`
		} `json:"workspace"`
		TextDocument struct {
			Completion struct {
				CompletionItem struct {
					SnippetSupport bool `json:"snippetSupport"`
				} `json:"completionItem"`
			} `json:"completion"`
			DocumentSymbol struct {
				Hierarchical bool `json:"hierarchicalDocumentSymbolSupport"`
			} `json:"documentSymbol"`
		} `json:"textDocument"`
	} `json:"capabilities"`
	InitializationOptions options `json:"initializationOptions"`
}

// options are the server's settings, the same in initializationOptions and in
// workspace/didChangeConfiguration.
type options struct {
	// Run holds the settings of runs: what the user grants and allows.
	Grants  []string `json:"grants,omitempty"`
	Profile string   `json:"profile,omitempty"`
	// LintDelay is how long to wait after a change before diagnostics are made,
	// in milliseconds; nil is 200.
	LintDelay *int `json:"lintDelayMs,omitempty"`
}

type workspaceFolder struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

type openParams struct {
	TextDocument struct {
		URI        string `json:"uri"`
		LanguageID string `json:"languageId"`
		Version    int    `json:"version"`
		Text       string `json:"text"`
	} `json:"textDocument"`
}

type changeParams struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
	} `json:"textDocument"`
	ContentChanges []contentChange `json:"contentChanges"`
}

type contentChange struct {
	Range *textRange `json:"range"` // nil replaces everything
	Text  string     `json:"text"`
}

// diagnostic severities.
const (
	severityError   = 1
	severityWarning = 2
	severityInfo    = 3
)

type diagnostic struct {
	Range    textRange `json:"range"`
	Severity int       `json:"severity"`
	Code     string    `json:"code,omitempty"`
	Source   string    `json:"source"`
	Message  string    `json:"message"`
}

type publishParams struct {
	URI         string       `json:"uri"`
	Version     *int         `json:"version,omitempty"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type markup struct {
	Kind  string `json:"kind"` // "markdown" or "plaintext"
	Value string `json:"value"`
}

type hover struct {
	Contents markup     `json:"contents"`
	Range    *textRange `json:"range,omitempty"`
}

type documentHighlight struct {
	Range textRange `json:"range"`
	Kind  int       `json:"kind"` // 2 read, 3 write
}

// symbol kinds.
const (
	kindModule    = 2
	kindNamespace = 3
	kindMethod    = 6
	kindProperty  = 7
	kindFunction  = 12
	kindVariable  = 13
	kindString    = 15
	kindArray     = 18
	kindKey       = 20
	kindEvent     = 24
)

type documentSymbol struct {
	Name           string            `json:"name"`
	Detail         string            `json:"detail,omitempty"`
	Kind           int               `json:"kind"`
	Range          textRange         `json:"range"`
	SelectionRange textRange         `json:"selectionRange"`
	Children       []*documentSymbol `json:"children,omitempty"`
}

type symbolInformation struct {
	Name      string   `json:"name"`
	Kind      int      `json:"kind"`
	Location  location `json:"location"`
	Container string   `json:"containerName,omitempty"`
}

type foldingRange struct {
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
	Kind      string `json:"kind,omitempty"`
}

// completion item kinds.
const (
	completeText     = 1
	completeFunction = 3
	completeVariable = 6
	completeModule   = 9
	completeProperty = 10
	completeValue    = 12
	completeEnum     = 13
	completeKeyword  = 14
	completeSnippet  = 15
	completeFile     = 17
	completeRef      = 18
)

type completionItem struct {
	Label         string    `json:"label"`
	Kind          int       `json:"kind"`
	Detail        string    `json:"detail,omitempty"`
	Documentation *markup   `json:"documentation,omitempty"`
	FilterText    string    `json:"filterText,omitempty"`
	TextEdit      *textEdit `json:"textEdit,omitempty"`
	Format        int       `json:"insertTextFormat,omitempty"` // 2 is a snippet
}

type completionList struct {
	Incomplete bool             `json:"isIncomplete"`
	Items      []completionItem `json:"items"`
}

type codeActionParams struct {
	TextDocument documentID `json:"textDocument"`
	Range        textRange  `json:"range"`
	Context      struct {
		Only []string `json:"only"`
	} `json:"context"`
}

type codeAction struct {
	Title       string         `json:"title"`
	Kind        string         `json:"kind"`
	Diagnostics []diagnostic   `json:"diagnostics,omitempty"`
	Preferred   bool           `json:"isPreferred,omitempty"`
	Edit        *workspaceEdit `json:"edit,omitempty"`
	Command     *command       `json:"command,omitempty"`
}

type command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments,omitempty"`
}

type codeLens struct {
	Range   textRange `json:"range"`
	Command *command  `json:"command,omitempty"`
}

type documentLink struct {
	Range   textRange `json:"range"`
	Target  string    `json:"target"`
	Tooltip string    `json:"tooltip,omitempty"`
}

type renameParams struct {
	placeParams
	NewName string `json:"newName"`
}

type prepareRename struct {
	Range       textRange `json:"range"`
	Placeholder string    `json:"placeholder"`
}

type applyEditParams struct {
	Label string        `json:"label,omitempty"`
	Edit  workspaceEdit `json:"edit"`
}

type applyEditResult struct {
	Applied       bool   `json:"applied"`
	FailureReason string `json:"failureReason"`
}

// message kinds of window/showMessage.
const (
	messageError   = 1
	messageWarning = 2
	messageInfo    = 3
)

type showMessage struct {
	Type    int    `json:"type"`
	Message string `json:"message"`
}
