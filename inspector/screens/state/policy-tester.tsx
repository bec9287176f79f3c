import { useState } from 'preact/hooks'
import { useAction, usePage, useRead } from '../../context.ts'
import { Form } from '../../parts/controls.tsx'
import { DecidingLines } from '../../parts/deciding-lines.tsx'
import type { ServiceState, StateRow } from '../../pure/items.ts'

interface PolicyTesterProps {
  readonly policy: StateRow
  readonly state: ServiceState
}

interface TestResult {
  readonly path: string
  readonly verb: string
  readonly capabilities: readonly string[]
  readonly policies: readonly string[]
}

const verbs = ['read', 'list', 'create', 'update', 'patch', 'delete', 'sudo']

/** Renders a form that shows a token's capabilities at a path, and the policy line that decides. */
export function PolicyTester({ policy, state }: PolicyTesterProps) {
  const { world } = usePage()
  const runAction = useAction()
  const tokens = Object.entries(state.tables['tokens'] ?? {})
  const tokenWithPolicy = tokens.find(([, { policies }]) =>
    includesPolicy(policies, String(policy['name'])),
  )
  const [token, setToken] = useState(tokenWithPolicy?.[0] ?? tokens[0]?.[0] ?? '')
  const [path, setPath] = useState('secret/data/')
  const [verb, setVerb] = useState('read')
  const [result, setResult] = useState<TestResult>()
  const { data: env } = useRead('variables', (each) => each.variables())
  const runTest = () =>
    runAction(async () => {
      const root = env?.['UNDERSTUDY_SECRETS_TOKEN'] ?? ''
      const row = state.tables['tokens']?.[token]
      const reply = await world.actions.send({
        method: 'POST',
        path: '/v1/sys/capabilities',
        headers: { authorization: `Bearer ${root}`, 'content-type': 'application/json' },
        body: { token: String(row?.['id'] ?? token), paths: [path] },
      })
      if (reply.status !== 200) throw new Error(`${reply.status}: ${reply.body}`)
      const { data = {}, capabilities = data.capabilities } = JSON.parse(reply.body)
      const policies = Array.isArray(row?.['policies']) ? row['policies'].map(String) : []
      setResult({ path, verb, capabilities, policies })
      return undefined
    })
  return (
    <section aria-label="Policy tester" class="would-pass">
      <h3>Test a token</h3>
      <Form class="bar" onSubmit={runTest}>
        <select
          aria-label="Token"
          value={token}
          onChange={({ currentTarget }) => setToken(currentTarget.value)}
        >
          {tokens.slice(0, 200).map(([key, row]) => (
            <option key={key} value={key}>
              {String(row['display_name'] ?? 'token')} ({policiesOf(row)})
            </option>
          ))}
        </select>
        <select
          aria-label="Verb"
          value={verb}
          onChange={({ currentTarget }) => setVerb(currentTarget.value)}
        >
          {verbs.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <input
          aria-label="Path"
          value={path}
          onInput={({ currentTarget }) => setPath(currentTarget.value)}
        />
        <button type="submit" class="primary">
          Test
        </button>
      </Form>
      {result !== undefined && <TestVerdict result={result} state={state} />}
    </section>
  )
}

function TestVerdict({
  result,
  state,
}: {
  readonly result: TestResult
  readonly state: ServiceState
}) {
  const { path, verb, capabilities, policies } = result
  const allowed = capabilities.includes('root') || capabilities.includes(verb)
  return (
    <div class={allowed ? 'because good' : 'because bad'} role="status">
      <p>
        <strong>{allowed ? 'Allowed' : 'Denied'}</strong>: {verb} {path} ({capabilities.join(', ')})
      </p>
      <DecidingLines state={state} policies={policies} path={path} />
    </div>
  )
}

function policiesOf({ policies }: StateRow): string {
  return Array.isArray(policies) ? policies.join(', ') : ''
}

function includesPolicy(policies: unknown, name: string): boolean {
  return Array.isArray(policies) && policies.includes(name)
}
