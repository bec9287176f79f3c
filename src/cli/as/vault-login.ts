import { readFileSync } from 'node:fs'
import { ConfigError, codeOf, reasonOf } from '../../config-error.ts'
import { memberOf, textAt } from '../capture/real-server.ts'
import { flags, variableOf } from '../flags/flags.ts'
import { writeOutputFile } from '../output-file.ts'
import { encodePath } from '../urls.ts'
import {
  CommandFailure,
  flagOf,
  type ParsedArguments,
  type ProductCall,
  type ProductClient,
  renderField,
} from './product-call.ts'

type Environment = ProductCall['env']

/**
 * Returns the path of the file in which `login` stores its token. In the container image, a
 * variable sets this path to `~/.vault-token`. Without the variable, returns an empty string and
 * nothing is stored, because `~/.vault-token` might hold a user's own token.
 */
function tokenFileOf(env: Environment): string {
  return env[variableOf(flags.tokenFile)] ?? ''
}

/**
 * Returns the token of a call: `VAULT_TOKEN`, else the stored token, else the root token of a
 * development server (`VAULT_DEV_ROOT_TOKEN_ID`, by default `root`). Throws a `CommandFailure` if
 * the file of the stored token cannot be read.
 */
export function tokenOf(env: Environment): string {
  return env['VAULT_TOKEN'] || storedToken(env) || env['VAULT_DEV_ROOT_TOKEN_ID'] || 'root'
}

function storedToken(env: Environment): string {
  const file = tokenFileOf(env)
  if (file === '') return ''
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ''
    throw new CommandFailure(`cannot read ${file} (${reasonOf(error)})`)
  }
}

function storeToken(env: Environment, token: string): void {
  try {
    writeOutputFile(flags.tokenFile, tokenFileOf(env), token)
  } catch (error) {
    throw error instanceof ConfigError ? new CommandFailure(error.message) : error
  }
}

/** Names of the methods of `vault login` that send a password. */
const passwordMethods = new Set(['userpass', 'ldap', 'okta', 'radius'])

/**
 * Logs in and returns the output of the command. Stores the token if there is a file for it, unless
 * the call has `-no-store` or `-token-only`. Throws a `CommandFailure` if the login fails or the
 * token cannot be stored.
 */
export async function login(
  server: ProductClient,
  args: ParsedArguments,
  env: Environment,
): Promise<string> {
  const method = flagOf(args, 'method') ?? 'token'
  const path = encodePath((flagOf(args, 'path') ?? method).replace(/\/$/, ''))
  const mfa = flagOf(args, 'mfa')
  const { value } = await sendLogin(server, args, method, path, {
    ...(mfa === undefined ? {} : { 'X-Vault-MFA': mfa }),
  })
  const auth = memberOf(value, 'auth') ?? memberOf(value, 'data')
  const token = textAt(auth, method === 'token' ? 'id' : 'client_token')
  if (flagOf(args, 'token-only') !== undefined) return token
  const isStored = tokenFileOf(env) !== '' && flagOf(args, 'no-store') === undefined
  if (isStored) storeToken(env, token)
  const field = flagOf(args, 'field')
  if (field === 'token') return `${token}\n`
  if (field !== undefined) return renderField(auth, field)
  const note = isStored ? 'The token is stored.' : 'The token is not stored.'
  return `Success! You are now authenticated. ${note}\n${JSON.stringify({ token, ...Object(auth) }, null, 2)}\n`
}

function sendLogin(
  server: ProductClient,
  { positionals }: ParsedArguments,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
) {
  const words = positionals.filter((word) => word.includes('='))
  const data = Object.fromEntries(words.map((word) => word.split(/=(.*)/s)))
  if (method === 'token') {
    const [token = ''] = positionals
    if (token === '') throw new CommandFailure('usage: vault login TOKEN', 2)
    return server.send('GET', 'auth/token/lookup-self', undefined, { 'X-Vault-Token': token })
  }
  if (!passwordMethods.has(method)) return server.send('PUT', `auth/${path}/login`, data, headers)
  const { username = '', ...body } = data
  if (username === '') throw new CommandFailure("'username' must be specified", 2)
  return server.send('PUT', `auth/${path}/login/${encodePath(username)}`, body, headers)
}
