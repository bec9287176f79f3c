import { render } from 'preact'
import { App } from './app.tsx'
import { errorText } from './client.ts'
import { TraceSource } from './source/trace-source.ts'
import { readTraceData } from './trace-data.ts'

const container = document.getElementById('app')
if (container !== null) {
  try {
    const trace = await readTraceData()
    container.replaceChildren()
    render(<App {...(trace && { traceSource: new TraceSource(trace) })} />, container)
  } catch (error) {
    container.textContent = `This trace cannot be read: ${errorText(error)}`
  }
}
