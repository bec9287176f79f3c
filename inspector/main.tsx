import { render } from 'preact'
import { App } from './app.tsx'

const container = document.getElementById('app')
if (container !== null) {
  container.replaceChildren()
  render(<App />, container)
}
