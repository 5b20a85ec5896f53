import { isProfileVariable } from "../call/profile-words.ts";

/** Name of a variable in the server's environment. */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/**
 * Variables by which programs find, load or run other programs, or read other configuration (reference: shell.md §5.9), and those that
 * Regate itself and the sandbox set: a secret in one of them would be more than a secret.
 */
const REFUSED =
  /^(?:REGATE_.*|ADSSH_.*|HOME|USER|LOGNAME|TERM|LANG|LC_.*|TZ|PWD|OLDPWD|SHLVL|SHELL|TMPDIR|TEMP|TMP|EDITOR|VISUAL|PAGER|BROWSER|.*_(?:PAGER|EDITOR|ASKPASS|RSH|SSH|SSH_COMMAND|OPTIONS|OPTS|WRAPPER|PRELOAD)|PROMPT.*|PS[0-4]|HIST.*|INPUTRC|ZDOTDIR|FCEDIT|FPATH|GCONV_PATH|GLIBC_.*|LOCPATH|NLSPATH|GIT_.*|SSH_.*|PYTHON.*|PERL.*|RUBY(?:LIB|OPT|PATH|SHELL)|GEM_(?:HOME|PATH)|BUNDLE_(?:GEMFILE|PATH|BIN|APP_CONFIG)|NODE_OPTIONS|NODE_PATH|NPM_CONFIG_.*|YARN_.*|JAVA_(?:HOME|TOOL_OPTIONS)|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAVEN_HOME|GRADLE_(?:HOME|USER_HOME)|CLASSPATH|LUA_.*|PHP.*|R_.*|JULIA_.*|GO[A-Z0-9]*|CGO_.*|CARGO_(?:HOME|BUILD_.*|TARGET.*|ENCODED.*|PROFILE_.*)|RUST.*|CC|CXX|CPP|LD|AR|AS|NM|MAKE(?:FLAGS|FILES|LEVEL)?|GNUMAKEFLAGS|CFLAGS|CXXFLAGS|LDFLAGS|LESS(?:OPEN|CLOSE|KEY.*)?|MAN(?:PATH|OPT|ROFF.*)|OPENSSL_.*|CURL_HOME|WGETRC|DOCKER_(?:HOST|CONFIG|CONTEXT|CERT_PATH|TLS.*)|TAR_.*|RSYNC_.*|CVS_.*|SVN_(?:SSH|EDITOR|MERGE)|SUDO_.*|KUBECONFIG|AWS_CONFIG_FILE|AWS_SHARED_CREDENTIALS_FILE|(?:HTTPS?|ALL|NO|FTP)_PROXY|.*_PROXY|CDPATH|EXECIGNORE|FUNCNEST|GREP_.*|MAIL(?:CHECK|PATH)?)$/i;

/** Names that say of themselves that they lead to code, configuration, certificates or names of hosts. */
const LEADS_ELSEWHERE =
  /(?:PATH|_HOME|GNUPGHOME|RC|RCFILE|INIT)$|_(?:CONFIG|CONFIG_FILE|CONFIG_DIR|CONF|ARGS|FLAGS|STARTUP|DIRS?|PLUGINS?|LOADER|COMMAND|CMD|PROGRAM|EXEC|SHELL|LIBRARY|INCLUDE|CERT_FILE|CA_CERTS?|CA_BUNDLE|CA_FILE|ENDPOINT|ENDPOINT_URL|INDEX_URL|TLS_REJECT_UNAUTHORIZED)$|^(?:XDG_.*|HOSTALIASES|LOCALDOMAIN|TERMINFO.*|TERMCAP|CLASSPATH|VIRTUAL_ENV|DBUS_.*|DISPLAY)$/i;

/** Tells whether a lease may give commands a variable of this name. */
export function isLeaseVariable(name: string): boolean {
  return isProfileVariable(name) && !REFUSED.test(name) && !LEADS_ELSEWHERE.test(name);
}
