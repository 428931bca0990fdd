package main

// The examples of verbs whose help says all else in a line.

func (c *toolkitListCmd) Help() string { return "Example:\n  wb toolkit list" }

func (c *libraryListCmd) Help() string { return "Example:\n  wb library list" }

func (c *libraryQueryCmd) Help() string {
	return "Examples:\n  wb library query 'todo:TODO | select title'\n  wb library query --json 'SELECT count(*) AS n FROM vfs'"
}

func (c *libraryCheckoutCmd) Help() string {
	return "Example:\n  wb library checkout reports/sales-analysis work/\n\nA member that was changed since it was signed comes with a warning, one whose\nsignature is not its signer's is refused."
}

func (c *libraryCheckinCmd) Help() string {
	return "Examples:\n  wb library checkin work/\n  wb library checkin work/ --merged"
}

func (c *toolchainListCmd) Help() string { return "Example:\n  wb toolchain list" }

func (c *toolchainVerifyCmd) Help() string { return "Example:\n  wb toolchain verify quickjs" }

func (c *toolchainPackCmd) Help() string {
	return "Example:\n  wb toolchain pack wb.pack quickjs python\n\nA pack takes toolchains to a machine without network: wb toolchain unpack FILE."
}

func (c *toolchainUnpackCmd) Help() string {
	return "Example:\n  wb toolchain unpack wb.pack"
}

func (c *toolchainGcCmd) Help() string { return "Example:\n  wb toolchain gc" }

func (c *doctorCmd) Help() string { return "Example:\n  wb doctor" }

func (c *helpCmd) Help() string { return "Examples:\n  wb help run\n  wb help --json" }
