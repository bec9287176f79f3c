import {
  constant,
  objectOf,
  oneOf,
  type ValueGenerator,
} from '../../../src/cli/compare/generators.ts'
import {
  type ComparedRequest,
  type ReplyVariable,
  rootRequest,
  tokenGenerator,
} from '../../../src/cli/compare/request.ts'

/** Values of the members of a body; a value given twice is twice as likely. */
export type Members = Readonly<Record<string, readonly unknown[]>>

/** A request of a family: its method, its path with the choices of each part, and its body. */
export interface Template {
  readonly weight?: number
  readonly method: string
  /** Parts separated by slashes; `|` separates the choices of a part. */
  readonly path: string
  /** Members that are always sent. */
  readonly needed?: Members
  /** Members of which at most three are sent. */
  readonly more?: Members
  /** Tokens; by default mostly root. */
  readonly tokens?: readonly string[]
}

/** Requests about one subject, which depend on each other. */
export interface Family {
  readonly name: string
  /** Requests before and after each sequence. */
  readonly before: readonly ComparedRequest[]
  readonly after: readonly ComparedRequest[]
  readonly variables?: readonly ReplyVariable[]
  readonly requests: readonly Template[]
}

/** Returns a request that mounts an engine or a login method. */
export const enable = (path: string, type: string) => rootRequest('POST', `sys/${path}`, { type })
export const remove = (path: string) => rootRequest('DELETE', path)

/** Valid and invalid durations. */
export const durations = ['5m', '1h', 60, 0, '', '-5s', 'x', '769h', null]
/** Valid and invalid numbers of uses. */
export const counts = [0, 1, 3, -1, 'x', '2']
/** Valid and invalid lists of policies. */
export const lists = [['a', 'B'], 'a,b', [], '', 'default', ['root'], null]
/** Valid and invalid lists of networks in CIDR notation. */
export const networks = [['127.0.0.1/32'], '10.0.0.0/8', [], '', 'x', ['127.0.0.1']]

/** Token fields of roles and users. */
export const tokenFields: Members = {
  token_ttl: durations,
  token_max_ttl: durations,
  token_explicit_max_ttl: durations,
  token_period: durations,
  token_policies: lists,
  token_num_uses: counts,
  token_bound_cidrs: networks,
  token_no_default_policy: [true, false, 'x'],
  token_type: ['batch', 'service', 'default', '', 'x', 'default-batch'],
  policies: lists,
}

/** Deprecated names of token fields. */
export const oldFields: Members = {
  ttl: durations,
  max_ttl: durations,
  period: durations,
  num_uses: counts,
  bound_cidrs: networks,
}

/** Valid and invalid base64. */
export const plain = ['YQ==', 'YWJj', '', '!', 3]

/** Returns a generator of the requests of a template. */
export function generatorOf(template: Template): ValueGenerator<ComparedRequest> {
  const { method, path, needed = {}, more = {}, tokens } = template
  const methods = oneOf(...method.split('|'))
  const parts = path.split('/').map((part) => oneOf(...part.split('|')))
  const members = Object.entries(more).map(([name, values]) => [name, oneOf(...values)] as const)
  const others = members.length === 0 ? constant({}) : objectOf(members, 0, 3)
  const senders = tokens === undefined ? tokenGenerator(['$token']) : oneOf(...tokens)
  return (random) => {
    const verb = methods(random)
    const at = parts.map((part) => part(random)).join('/')
    const always = Object.entries(needed).map(([name, values]) => [name, oneOf(...values)(random)])
    const body = JSON.stringify({ ...others(random), ...Object.fromEntries(always) })
    const hasBody = verb === 'POST' || verb === 'PUT'
    return {
      operation: `${verb} ${path}`,
      method: verb,
      path: at.replaceAll(' ', '%20'),
      token: senders(random),
      ...(hasBody && { body }),
    }
  }
}
