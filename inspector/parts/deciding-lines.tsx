import type { ServiceState } from '../pure/items.ts'
import { hrefTo } from '../route.ts'
import { decisionOf, type PolicyRule } from './policy-lines.ts'

interface DecidingLinesProps {
  readonly state: ServiceState
  /** Names of the policies that apply. */
  readonly policies: readonly string[]
  /** Path below `/v1/`. */
  readonly path: string
  /** Namespace path, which ends in a slash; empty for the root namespace. */
  readonly namespace?: string
}

/**
 * Renders the policy lines that decide about a path, and the matching lines that they override.
 * Renders a sentence instead for the root policy, or if no line matches.
 */
export function DecidingLines({ state, policies, path, namespace = '' }: DecidingLinesProps) {
  if (policies.includes('root')) return <p>The root policy allows everything.</p>
  const { deciding: decidingRules, overridden: overriddenRules } = decisionOf(
    state,
    policies,
    path,
    namespace,
  )
  if (decidingRules.length === 0) {
    return (
      <p>
        No line of its policies ({policies.join(', ') || 'it has none'}) matches <code>{path}</code>
        .
      </p>
    )
  }
  return (
    <>
      <Rules rules={decidingRules} />
      {overriddenRules.length > 0 && (
        <details>
          <summary>
            {overriddenRules.length} less specific{' '}
            {overriddenRules.length === 1 ? 'line matches' : 'lines match'} too
          </summary>
          <Rules rules={overriddenRules} />
        </details>
      )}
    </>
  )
}

function Rules({ rules }: { readonly rules: readonly PolicyRule[] }) {
  return (
    <ul class="plain-lines">
      {rules.map(({ key, policy, line, pattern, capabilities }) => (
        <li key={`${key} ${line}`}>
          <a
            href={hrefTo('state', `policies ${key}`, { of: 'secrets', find: '', line: `${line}` })}
          >
            {policy}, line {line}
          </a>
          : <code>path "{pattern}"</code> allows {capabilitiesText(capabilities)}
        </li>
      ))}
    </ul>
  )
}

function capabilitiesText(capabilities: readonly string[]): string {
  if (capabilities.includes('deny')) return 'nothing (deny)'
  return capabilities.length === 0 ? 'nothing' : capabilities.join(', ')
}
