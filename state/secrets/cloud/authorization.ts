import { loginRefused } from './checks.ts'

/** The parameters of an `authorization` header by name in lower case. */
export type AuthorizationParameters = ReadonlyMap<string, string>

/** Much more than a key id with a token in it needs; keeps hostile ones cheap. */
const longest = 64 * 1024

const scheme = /^[ \t]*signature[ \t]+/i
const parameter =
  /[ \t]*([!#$%&'*+.^_`|~0-9a-z-]+)[ \t]*=[ \t]*(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([^\s",\\]+))[ \t]*(,|$)/isy

/**
 * Reads an `authorization` header of the scheme `Signature`: parameters in any order, their values
 * quoted or, without blanks, quotes and commas, bare (1-secrets.md, Login request shape).
 *
 * @throws Refusal `denied` for text of another form and for a parameter that is there twice.
 */
export function parseAuthorization(text: string): AuthorizationParameters {
  if (text.length > longest) throw malformed(`it is longer than ${longest} characters`)
  const start = scheme.exec(text)?.[0].length
  if (start === undefined) throw malformed('it does not begin with "Signature"')
  const parameters = new Map<string, string>()
  parameter.lastIndex = start
  for (;;) {
    const at = parameter.lastIndex
    const [, name, quoted, bare = '', end] = parameter.exec(text) ?? []
    if (name === undefined) throw malformed(`there is no parameter at character ${at + 1}`)
    const key = name.toLowerCase()
    if (parameters.has(key)) throw malformed(`the parameter ${name} is there twice`)
    parameters.set(key, quoted === undefined ? bare : quoted.replace(/\\(.)/gs, '$1'))
    if (end === '') return parameters
  }
}

function malformed(why: string) {
  return loginRefused('login-authorization-form', `the authorization header is malformed: ${why}`)
}
