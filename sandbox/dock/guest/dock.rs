/// What a block may ask of the host. A block asks with :uses kv, and the person
/// who runs it grants it with --grant kv; a program that uses what was not
/// granted does not start. JSON parameters and results are text, "" for none.
#[allow(dead_code)]
pub mod wb {
    /// Why the host did not do it; code is denied, limit, invalid, notfound or failed.
    #[derive(Debug, Clone)]
    pub struct Error { pub code: String, pub message: String, pub hint: String }
    impl ::std::fmt::Display for Error {
        fn fmt(&self, f: &mut ::std::fmt::Formatter) -> ::std::fmt::Result { f.write_str(&self.message) }
    }
    extern "C" { fn wb_dock_reply(to: *mut u8); }

    pub fn frame(operation: &str, args: &[&[u8]]) -> Vec<u8> {
        let mut f: Vec<u8> = Vec::new();
        put(&mut f, operation.as_bytes());
        count(&mut f, args.len());
        for a in args.iter() { put(&mut f, a); }
        f
    }
    fn count(f: &mut Vec<u8>, n: usize) {
        f.push(n as u8); f.push((n >> 8) as u8); f.push((n >> 16) as u8); f.push((n >> 24) as u8);
    }
    fn put(f: &mut Vec<u8>, data: &[u8]) { count(f, data.len()); f.extend_from_slice(data); }

    pub fn take(size: usize) -> Result<Option<Vec<u8>>, Error> {
        let mut reply: Vec<u8> = vec![0u8; size];
        unsafe { wb_dock_reply(reply.as_mut_ptr()); }
        let body = reply[1..].to_vec();
        match reply[0] {
            0 => Ok(None),
            1 => Ok(Some(body)),
            _ => {
                let json = String::from_utf8_lossy(&body).into_owned();
                Err(Error { code: field(&json, "\"code\":\""), message: field(&json, "\"error\":\""), hint: field(&json, "\"hint\":\"") })
            }
        }
    }
    pub fn text(r: Result<Option<Vec<u8>>, Error>) -> Result<Option<String>, Error> {
        match r {
            Ok(Some(body)) => Ok(Some(String::from_utf8_lossy(&body).into_owned())),
            Ok(None) => Ok(None),
            Err(e) => Err(e),
        }
    }
    pub fn nothing(r: Result<Option<Vec<u8>>, Error>) -> Result<(), Error> {
        match r { Ok(_) => Ok(()), Err(e) => Err(e) }
    }
    /// The string after a key of the host's error, which is a flat object.
    fn field(json: &str, key: &str) -> String {
        let at = match json.find(key) { Some(i) => i + key.len(), None => return String::new() };
        let mut out = String::new();
        let mut chars = json[at..].chars();
        while let Some(c) = chars.next() {
            if c == '"' { break; }
            if c != '\\' { out.push(c); continue; }
            match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('u') => {
                    let mut n = 0u32;
                    for _ in 0..4 { n = n * 16 + chars.next().and_then(|h| h.to_digit(16)).unwrap_or(0); }
                    out.push(::std::char::from_u32(n).unwrap_or('?'));
                }
                Some(other) => out.push(other),
                None => break,
            }
        }
        out
    }
