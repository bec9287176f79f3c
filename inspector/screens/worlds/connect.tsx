import { useState } from 'preact/hooks'
import { usePage, useRead } from '../../context.ts'
import { Copy, Note } from '../../parts/controls.tsx'
import { clientSnippets, maskTokens } from '../../pure/client-snippets.ts'

const formats = ['sh', 'dotenv', 'json', 'github']

/** Renders the variables and snippets that connect clients to the world. */
export function Connect() {
  const [format, setFormat] = useState('sh')
  const [showsTokens, setShowsTokens] = useState(false)
  const { source } = usePage()
  const { data: env, problem } = useRead('variables', (world) => world.variables())
  const { data: text } = useRead(`variables as ${format}`, (world) => world.variablesAs(format))
  if (problem !== undefined) return <Note isError>{problem}</Note>
  if (env === undefined || text === undefined) return <Note>Loading…</Note>
  const variables = source.rebaseUrls(text)
  const withMasking = (each: string) => (showsTokens ? each : maskTokens(each, env))
  const snippets = clientSnippets(env).map(
    ([name, each]) => [name, source.rebaseUrls(each)] as const,
  )
  return (
    <>
      <div class="bar">
        <label>
          Variables as{' '}
          <select value={format} onChange={({ currentTarget }) => setFormat(currentTarget.value)}>
            {formats.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <Copy text={variables}>Copy variables</Copy>
        <button
          type="button"
          aria-pressed={showsTokens}
          onClick={() => setShowsTokens(!showsTokens)}
        >
          {showsTokens ? 'Hide tokens' : 'Show tokens'}
        </button>
      </div>
      <pre class="box">{withMasking(variables)}</pre>
      <ul class="grid">
        {snippets.map(([name, snippet]) => (
          <li key={name} class="node">
            <div class="bar">
              <strong>{name}</strong>
              <Copy text={snippet} label={`Copy for ${name}`}>
                Copy
              </Copy>
            </div>
            <pre>{withMasking(snippet)}</pre>
          </li>
        ))}
      </ul>
    </>
  )
}
