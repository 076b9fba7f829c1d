def query(id)
  text = <<~SQL
    SELECT * FROM users
    WHERE id = #{id}
  SQLX
  run(text)
end
