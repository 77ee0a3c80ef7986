import type { AnyStateMachine } from 'xstate';
import { agentVersion } from './agent-version/machine.ts';
import { emission } from './emission/machine.ts';
import { evaluationRun } from './evaluation-run/machine.ts';
import { race } from './race/machine.ts';
import { workItem } from './work-item/machine.ts';

const machines: Readonly<Record<string, AnyStateMachine>> = {
  'Agent version': agentVersion.machine,
  'Work item': workItem.machine,
  'Evaluation run': evaluationRun.machine,
  Race: race.machine,
  'Epoch standings': emission.machine,
};

/** The state machines as Mermaid diagrams in Markdown, generated from what really runs. */
export function machineDiagrams(): string {
  return Object.entries(machines)
    .map(([title, machine]) => `## ${title}\n\n${diagram(machine)}`)
    .join('\n');
}

/** Facts that lead from one state to the same other share an arrow; the pseudo state is the dot. */
function diagram(machine: AnyStateMachine): string {
  const arrows = new Map<string, string[]>();
  const { initial } = machine.config;
  for (const [name, node] of Object.entries(machine.states)) {
    for (const [fact, transitions] of Object.entries(node.on)) {
      for (const { target } of transitions) {
        const arrow = `${name === initial ? '[*]' : name} --> ${target?.[0]?.key ?? name}`;
        arrows.set(arrow, [...(arrows.get(arrow) ?? []), fact]);
      }
    }
    if (node.type === 'final') arrows.set(`${name} --> [*]`, []);
  }
  const lines = [...arrows].map(([arrow, facts]) =>
    facts.length === 0 ? `  ${arrow}` : `  ${arrow}: ${facts.join(', ')}`,
  );
  return ['```mermaid', 'stateDiagram-v2', ...lines, '```', ''].join('\n');
}
