//! The proxies that the environment names. The client finds them itself, and leaves out without a
//! word those that it cannot use; then a key would go another way than somebody wanted.

use std::net::IpAddr;

use reqwest::Url;

/// What the environment says of proxies, as it says it; a password may be in it.
#[derive(Clone, Default)]
pub struct Proxies {
    pub http: Option<ProxyVariable>,
    pub https: Option<ProxyVariable>,
    /// For every address that has no other.
    pub all: Option<ProxyVariable>,
    /// The hosts that are asked directly.
    pub none_for: String,
}

/// A variable that names a proxy.
#[derive(Clone)]
pub struct ProxyVariable {
    pub name: String,
    pub value: String,
}

impl Proxies {
    /// Whether the proxy for an address can be used; else why not, without a password that may be
    /// in it. An address without a proxy has none that could be wrong.
    pub(super) fn check(&self, url: &str) -> Result<(), String> {
        let Ok(url) = Url::parse(url) else { return Ok(()) };
        let own = if url.scheme() == "https" { &self.https } else { &self.http };
        let named = |variable: &&ProxyVariable| !variable.value.trim().is_empty();
        let Some(variable) = [own, &self.all].into_iter().flatten().find(named) else {
            return Ok(());
        };
        if url.host_str().is_none_or(|host| is_listed(&self.none_for, host)) {
            return Ok(());
        }
        unusable(&variable.value).map_or(Ok(()), |why| {
            let name = &variable.name;
            Err(format!("{name} names no proxy that can be used: {why}; it is `http://host:port`"))
        })
    }
}

/// Why a proxy cannot be used, if it cannot.
fn unusable(value: &str) -> Option<String> {
    let (scheme, rest) = value.split_once("://").unwrap_or(("http", value));
    let is_word = !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_known = ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    if is_word && !is_known {
        return Some(format!("`{}` is not spoken", scheme.get(..20).unwrap_or(scheme)));
    }
    let may_be =
        |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_address = is_known
        && rest.bytes().all(may_be)
        && authority.matches('@').count() <= 1
        && Url::parse(&format!("http://{rest}")).is_ok();
    (!is_address).then(|| "it is no address".to_owned())
}

/// Whether a host is in a list of hosts, domains, addresses and networks.
fn is_listed(list: &str, host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    let address = host.parse::<IpAddr>().ok();
    list.split(',').map(|item| item.trim().to_ascii_lowercase()).any(|item| match address {
        Some(address) => item.parse() == Ok(address) || is_within(address, &item),
        None => {
            let domain = item.strip_prefix('.').unwrap_or(&item);
            let below = || host.strip_suffix(domain).is_some_and(|start| start.ends_with('.'));
            item == "*" || (!domain.is_empty() && (host == domain || below()))
        }
    })
}

/// Whether an address is one of a network such as `10.0.0.0/8`.
fn is_within(address: IpAddr, network: &str) -> bool {
    let Some((start, length)) = network.split_once('/') else { return false };
    let (Ok(start), Ok(length)) = (start.parse::<IpAddr>(), length.parse::<u32>()) else {
        return false;
    };
    // Two addresses are in one network where they differ only after so many bits.
    match (address, start) {
        (IpAddr::V4(one), IpAddr::V4(other)) if length <= 32 => {
            (one.to_bits() ^ other.to_bits()).leading_zeros() >= length
        }
        (IpAddr::V6(one), IpAddr::V6(other)) if length <= 128 => {
            (one.to_bits() ^ other.to_bits()).leading_zeros() >= length
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is wrong with the proxy of an address; `variables` are `NAME=value`.
    fn check(variables: &[&str], url: &str) -> Option<String> {
        let mut proxies = Proxies::default();
        for variable in variables {
            let (name, value) = variable.split_once('=').unwrap();
            let named = ProxyVariable { name: name.to_owned(), value: value.to_owned() };
            match name {
                "HTTP_PROXY" => proxies.http = Some(named),
                "HTTPS_PROXY" => proxies.https = Some(named),
                "ALL_PROXY" => proxies.all = Some(named),
                _ => proxies.none_for = value.to_owned(),
            }
        }
        proxies.check(url).err()
    }

    #[test]
    fn a_proxy_that_cannot_be_used_is_named_by_its_variable_without_its_password() {
        for value in [
            "socks9://127.0.0.1:1",
            "socks5://me:secret@127.0.0.1:1",
            "ht!tp://@@:bad",
            "http://me:secret@host:99999",
            "http://me:sec@ret@host:1",
            "http://",
            "://host",
            "a b",
            "http://hößt",
        ] {
            let fault = check(&[&format!("HTTP_PROXY={value}")], "http://a/").unwrap();
            assert!(fault.starts_with("HTTP_PROXY names no proxy that can be used: "), "{fault}");
            assert!(!fault.contains("sec"), "{fault}");
        }
        for value in ["http://127.0.0.1:1", "HTTPS://me:a%20b@proxy/", "proxy:8080", "", " "] {
            assert_eq!(check(&[&format!("HTTP_PROXY={value}")], "http://a/"), None, "{value}");
        }
    }

    #[test]
    fn only_the_proxy_that_an_address_would_use_is_looked_at() {
        let bad = ["HTTP_PROXY=x://h", "HTTPS_PROXY=y://h", "ALL_PROXY=z://h"];
        assert!(check(&bad, "http://a/").unwrap().starts_with("HTTP_PROXY"));
        assert!(check(&bad, "https://a/").unwrap().starts_with("HTTPS_PROXY"));
        assert!(check(&bad[2..], "https://a/").unwrap().starts_with("ALL_PROXY"));
        assert_eq!(check(&bad[..1], "https://a/"), None);
        assert_eq!(check(&["HTTP_PROXY=http://h", bad[2]], "http://a/"), None);
    }

    #[test]
    fn hosts_that_need_no_proxy_have_none_that_could_be_wrong() {
        let direct = |list: &str, host: &str| {
            let list = format!("NO_PROXY={list}");
            check(&["ALL_PROXY=x://h", &list], &format!("http://{host}:80/")).is_none()
        };
        for (list, host) in [
            ("a.org", "a.org"),
            ("x, .A.org", "b.a.org"),
            ("a.org", "b.a.org"),
            (".a.org", "a.org"),
            ("*", "a.org"),
            ("127.0.0.1", "127.0.0.1"),
            ("10.0.0.0/8", "10.9.8.7"),
            ("::1", "[::1]"),
            ("fd00::/8", "[fd12::1]"),
        ] {
            assert!(direct(list, host), "{list} {host}");
        }
        for (list, host) in [
            ("", "a.org"),
            ("a.org", "ba.org"),
            ("a.org", "a.org.b"),
            ("10.0.0.0/8", "11.0.0.1"),
            ("10.0.0.0/99", "10.0.0.1"),
            ("::/0", "10.0.0.1"),
            ("127.0.0.1", "a.org"),
        ] {
            assert!(!direct(list, host), "{list} {host}");
        }
    }
}
