-- The second wall, as for every table of a tenant.
ALTER TABLE tasks ENABLE ROW LEVEL SECURITY;
ALTER TABLE tasks FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON tasks USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
ALTER TABLE task_dependencies ENABLE ROW LEVEL SECURITY;
ALTER TABLE task_dependencies FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON task_dependencies USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
ALTER TABLE task_notes ENABLE ROW LEVEL SECURITY;
ALTER TABLE task_notes FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON task_notes USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
