import './early.js';

void import('./page.js');
