const minerNames = ['Ada', 'Basil', 'Cleo', 'Dora', 'Emil', 'Flora', 'Gus', 'Hugo', 'Ida', 'Jonas'];
const validatorNames = ['Boreas', 'Eurus', 'Notus', 'Zephyr', 'Aquilo', 'Auster'];

export function minerName(index: number): string {
  return minerNames[index] ?? `Miner-${index + 1}`;
}

export function validatorName(index: number): string {
  return validatorNames[index] ?? `Validator-${index + 1}`;
}
