import type { LoggedRequests } from '../../routes/explain/logging-recorder.ts'
import type { DialectName } from '../../routes/http/declare/dialect.ts'
import { suggestionFor } from '../../routes/http/declare/similarity.ts'
import { InputError } from '../../routes/http/declare/validate.ts'
import { type ApiName, apiNames } from '../api-names.ts'
import type { LogOptions } from '../server/log.ts'
import type { TlsMaterial } from '../server/tls.ts'
import type { ClockOption } from './clock-option.ts'
import type { Fixtures, WorldOptions } from './world-types.ts'

/** Options of a server; every member is optional. */
export interface UnderstudyOptions {
  /** Address at which the listeners accept connections. Default: `127.0.0.1`. */
  readonly host?: string | undefined
  /** Port of the combined listener; 0, the default, is any free port. */
  readonly port?: number | undefined
  /** Ports of the listeners that serve one API each, in addition to the combined listener. */
  readonly apiPorts?: Readonly<Partial<Record<ApiName, number | undefined>>> | undefined
  /** Root token of the secrets service. Default: `root`. */
  readonly rootToken?: string | undefined
  /** Spelling of headers, paths and fields. Default: `neutral`. */
  readonly dialect?: DialectName | undefined
  /** True if mesh and scheduler enforce ACLs; secrets and platform always do. Default: false. */
  readonly acl?: boolean | undefined
  /** True if the platform refuses requests above its setting `api-rate-limit`. Default: false. */
  readonly rateLimit?: boolean | undefined
  /** Seed that makes ids, tokens and key shares reproducible. */
  readonly seed?: string | undefined
  /** Mode of the clock. Default: `real`. */
  readonly clock?: ClockOption | undefined
  /** `auto` creates a missing world when a path prefix or a header names it. Default: `off`. */
  readonly worlds?: 'off' | 'auto' | undefined
  /**
   * True if API requests that name no world reach the default world; false refuses them. Default:
   * true.
   */
  readonly defaultWorld?: boolean | undefined
  /** Initial state: short forms, or a state export. */
  readonly fixtures?: Fixtures | undefined
  /** World options by service, which take precedence over the options in the fixtures. */
  readonly options?: WorldOptions | undefined
  readonly tls?: TlsMaterial | undefined
  /** Additional host names under which `/_mock` answers. */
  readonly allowedHosts?: readonly string[] | undefined
  /** Bearer token that `/_mock` requires. */
  readonly controlToken?: string | undefined
  /** Handler of `POST /_mock/shutdown`. Without a handler, this call is refused. */
  readonly onShutdown?: (() => void) | undefined
  /** Log options. Default: no log. */
  readonly log?: LogOptions | false | undefined
  /** Requests that are logged. Default: `refused`. */
  readonly logRequests?: LoggedRequests | undefined
}

/** Options whose fixtures and world options have no static type. Both are validated at runtime. */
export type UncheckedOptions = Omit<UnderstudyOptions, 'fixtures' | 'options'> & {
  readonly fixtures?: unknown
  readonly options?: unknown
}

type OptionRule = readonly [expected: string, fits: (value: unknown) => boolean]

const textRule: OptionRule = [
  'a text that is not empty',
  (value) => typeof value === 'string' && value !== '',
]
const portRule: OptionRule = [
  'a port number from 0 to 65535 (0 = any free one)',
  (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65535,
]
const booleanRule: OptionRule = ['true or false', (value) => typeof value === 'boolean']
const isObject = (value: unknown) => typeof value === 'object' && value !== null
/** Rule for options that other code validates in more detail. */
const uncheckedRule: OptionRule = ['', () => true]

const rules: Readonly<Record<keyof UnderstudyOptions, OptionRule>> = {
  host: textRule,
  port: portRule,
  apiPorts: ['an object of ports by API', isObject],
  rootToken: textRule,
  dialect: ["'neutral' or 'vendor'", (value) => value === 'neutral' || value === 'vendor'],
  acl: booleanRule,
  rateLimit: booleanRule,
  seed: textRule,
  clock: uncheckedRule,
  worlds: ["'off' or 'auto'", (value) => value === 'off' || value === 'auto'],
  defaultWorld: booleanRule,
  fixtures: uncheckedRule,
  options: uncheckedRule,
  tls: ['an object with cert and key', isObject],
  allowedHosts: ['a list of host names', Array.isArray],
  controlToken: textRule,
  onShutdown: ['a function', (value) => typeof value === 'function'],
  logRequests: [
    "'none', 'refused' or 'all'",
    (value) => ['none', 'refused', 'all'].includes(String(value)),
  ],
  log: ['false or log options', (value) => value === false || isObject(value)],
}

/**
 * Validates the options at runtime, because an embedding program may be written in JavaScript.
 *
 * @param names names of the APIs, each of which can have a port
 * @throws {InputError} listing every option that is unknown or invalid
 */
export function checkUnderstudyOptions(
  options: UncheckedOptions,
  names: readonly string[] = apiNames,
): void {
  const apiPortRules = Object.fromEntries(names.map((name) => [name, portRule]))
  const problems = [
    ...problemsOf(options, rules),
    ...problemsOf(options.apiPorts ?? {}, apiPortRules, 'apiPorts.'),
  ]
  if (problems.length > 0) throw new InputError(problems)
}

function problemsOf(
  values: object,
  rulesByName: Readonly<Record<string, OptionRule>>,
  prefix = '',
) {
  return Object.entries(values).flatMap(([name, value]) => {
    const rule = Object.hasOwn(rulesByName, name) ? rulesByName[name] : undefined
    if (rule === undefined) {
      const suggestion = suggestionFor(name, Object.keys(rulesByName))
      const names = `known are ${Object.keys(rulesByName).join(', ')}`
      const remedy = suggestion === undefined ? names : `did you mean ${suggestion}?`
      return [`option ${prefix}${name} is unknown; ${remedy}`]
    }
    const [expected, isValid] = rule
    return value === undefined || isValid(value)
      ? []
      : [`option ${prefix}${name} must be ${expected}`]
  })
}
